-- tables: typed
SELECT id, day - DATE '2013-01-01' > INTERVAL 3 DAY AS a, CAST(day - DATE '2013-01-01' AS STRING) AS b,
  CAST(moment - TIMESTAMP_NTZ '2013-01-01 00:00:00.5' AS STRING) AS c,
  extract(DAY FROM moment - day) AS d, extract(HOUR FROM moment - day) AS e, extract(SECOND FROM moment - day) AS f,
  CAST(day - DATE '2013-01-01' AS INT) AS g, CAST(moment - day AS BIGINT) AS h,
  CAST(day + (day - DATE '2013-01-01') AS STRING) AS i, CAST((moment - day) / 7 AS STRING) AS j,
  CAST((day - DATE '2013-01-01') * 1.5 AS STRING) AS k, CAST(day - '2013-01-01' AS STRING) AS l,
  moment + INTERVAL 1 MONTH * 1.5 AS m, typeof(day - day) AS n, typeof(moment - day) AS o,
  CAST(abs(day - DATE '2013-01-01') AS STRING) AS p, CAST(-(day - DATE '2013-01-01') AS STRING) AS q
FROM typed
