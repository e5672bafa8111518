-- tables: numbers
SELECT id, CAST(x AS STRING) AS text FROM numbers
