-- tables: typed
SELECT id, price || '' AS a, concat(share, '/', wide) AS b, CAST(share AS STRING) AS c, length(price) AS d,
  CAST(-0.5 AS STRING) AS e
FROM typed
