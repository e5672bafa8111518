-- tables: typed
SELECT id, tiny + 1000 AS a, short * 10000 AS b, CAST(tiny AS SMALLINT) + short AS c, CASE WHEN flag THEN tiny ELSE 1000 END AS d,
  length(word) * 1000000 AS e
FROM typed
