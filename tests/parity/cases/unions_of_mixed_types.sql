-- tables: typed
SELECT a, b, c, d, e FROM (SELECT whole AS a, price AS b, day AS c, single AS d, long AS e FROM typed
  UNION ALL SELECT '7', 2, moment, 5, 1.5 FROM typed) t
UNION SELECT 1, 2.25, '2013-01-01', CAST(0.5 AS DOUBLE), 3
