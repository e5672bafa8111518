-- tables: cells
SELECT id, CAST(text AS INT) AS whole, CAST(text AS BIGINT) AS wide FROM cells WHERE id IN (1, 2)
