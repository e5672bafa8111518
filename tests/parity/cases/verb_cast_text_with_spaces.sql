-- tables: cells
-- built in code
SELECT id, CAST(text AS BIGINT) AS whole, CAST(text AS DOUBLE) AS number FROM cells WHERE id IN (1, 2)
