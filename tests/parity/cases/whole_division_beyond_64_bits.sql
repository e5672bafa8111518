-- tables: typed
SELECT id, wide div 2 AS a, wide div -0.001 AS b, wide div price AS c, long div 0.0000000001 AS d,
  99999999999999999999999999999999999999 div -1 AS e
FROM typed
