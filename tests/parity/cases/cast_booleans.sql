-- tables: cells
SELECT id, CAST(flag AS INT) AS one, CAST(flag AS STRING) AS word, CAST(number AS BOOLEAN) AS other FROM cells
