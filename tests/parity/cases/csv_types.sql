-- tables: cells, days
SELECT id, CAST(whole AS STRING) AS a, number AS b, flag AS c, day AS d, text AS e, CAST(NULL AS TIMESTAMP_NTZ) AS f FROM cells UNION ALL SELECT id, NULL, NULL, NULL, day, NULL, at FROM days
