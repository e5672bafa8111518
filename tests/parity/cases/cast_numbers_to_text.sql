-- tables: cells
SELECT id, CAST(whole AS STRING) AS whole, string(day) AS day, CAST(1.50 AS STRING) AS money, CAST(flag AS STRING) AS flag FROM cells
