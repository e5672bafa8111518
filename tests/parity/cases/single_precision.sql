-- tables: kinds
SELECT id, single = CAST(0.1 AS FLOAT) AS same, single < number AS less, CAST(single AS DOUBLE) AS wide, CAST(single AS STRING) AS text FROM kinds
