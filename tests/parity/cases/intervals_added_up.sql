-- tables: typed
SELECT CAST(sum(moment - day) AS STRING) AS a, CAST(avg(moment - day) AS STRING) AS b,
  CAST(max(moment - day) AS STRING) AS c, count(DISTINCT moment - day) AS d,
  CAST(sum(CASE WHEN id > 3 THEN moment - day END) AS STRING) AS e
FROM typed
