SELECT g, x % 3 AS x, count(*) OVER w AS n
FROM VALUES ('a', 1), ('a', 5), ('b', 3), ('b', 7), ('b', NULL) AS t(g, x)
WINDOW w AS (PARTITION BY g)
QUALIFY max(x) OVER (PARTITION BY g) = x
