WITH t AS (SELECT k, CASE WHEN k > 1 OR k IS NULL THEN -0.0D ELSE 0.0D END AS z FROM VALUES (1), (2), (NULL) AS v(k)),
     l AS (SELECT k, array(z, NULL, CAST('NaN' AS DOUBLE)) AS l, named_struct('a', z, 'b', array(CAST(z AS FLOAT))) AS s, map(1, z) AS m FROM t)
SELECT CAST(max_by(l, k) AS STRING) AS a, CAST(min_by(l, -k) AS STRING) AS b, CAST(max_by(s, k) AS STRING) AS c, CAST(max_by(m, k) AS STRING) AS d,
       CAST(max(CASE WHEN k = 2 THEN l END) AS STRING) AS e, CAST(max_by(l, k) FILTER (WHERE k = 1) AS STRING) AS f, CAST(max_by(l, k) FILTER (WHERE k > 5) AS STRING) AS g,
       CAST(min(CASE WHEN k = 2 THEN s END) AS STRING) AS h
FROM l
