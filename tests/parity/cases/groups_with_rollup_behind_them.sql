WITH t AS (SELECT * FROM VALUES (1, 'x', 5), (2, 'y', 6), (2, 'x', 7) AS v(a, b, c))
SELECT 'with rollup' AS kind, a, b, sum(c) AS s, grouping_id() AS g, grouping(a) AS h FROM t GROUP BY a, b WITH ROLLUP
UNION ALL SELECT 'with cube', a, b, sum(c), grouping_id(a, b), grouping(b) FROM t GROUP BY a, b WITH CUBE
UNION ALL SELECT 'sets', a, b, sum(c), 0, 0 FROM t GROUP BY a, b GROUPING SETS ((a), (b), ())
UNION ALL SELECT 'places', a, b, count(*), 0, 0 FROM (SELECT a, b FROM t GROUP BY GROUPING SETS ((1), (2), (1, 2))) AS q GROUP BY a, b
UNION ALL SELECT 'having', a, b, count(*), grouping_id(), 0 FROM t GROUP BY a, b WITH ROLLUP HAVING grouping_id() = 1
