SELECT k, CAST(max(struct(i, n)) AS STRING) AS a, CAST(min(named_struct('n', n, 'i', i)) AS STRING) AS b,
       max(struct(i, n)).i AS c, CAST(max(array(n, i)) AS STRING) AS d, max_by(i, struct(n)) AS e, min_by(i, array(n)) AS f,
       count(DISTINCT array(n)) AS g, size(collect_set(struct(n))) AS h
FROM VALUES (1, 2, 'x'), (NULL, 3, 'x'), (4, NULL, 'x'), (5, NULL, 'y'), (5, 0, 'y') AS t(i, n, k) GROUP BY k
