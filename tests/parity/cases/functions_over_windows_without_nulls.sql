SELECT id, lag(n) IGNORE NULLS OVER (ORDER BY id) AS c1,
       last_value(n) IGNORE NULLS OVER (ORDER BY id) AS c2,
       first_value(n) IGNORE NULLS OVER (ORDER BY id DESC) AS c3
FROM (VALUES (1, 3L), (2, NULL), (3, 5L), (4, NULL)) AS t(id, n)
