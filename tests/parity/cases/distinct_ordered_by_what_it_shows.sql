-- ordered
WITH t AS (SELECT * FROM VALUES (1, 2), (2, NULL), (NULL, 3), (3, 1) AS v(a, b)), u AS (SELECT * FROM VALUES (1), (NULL) AS v(c))
SELECT concat_ws('|', (SELECT collect_list(d) FROM (SELECT DISTINCT a + 1 AS d FROM t ORDER BY d + 1)),
                 (SELECT collect_list(a) FROM (SELECT DISTINCT a FROM t ORDER BY t.a * -1)),
                 (SELECT collect_list(CAST(l AS STRING)) FROM (SELECT DISTINCT array(a) AS l FROM t ORDER BY transform(l, e -> e + 1)))) AS all
