-- tables: cells
SELECT id, try_cast(text AS INT) AS whole, try_cast(text AS DOUBLE) AS number, try_cast(text AS BOOLEAN) AS flag, try_cast(text AS DATE) AS day FROM cells
