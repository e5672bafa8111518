-- tables: cells
-- fails: 4.9
SELECT CAST(text AS INT) AS whole FROM cells WHERE id = 3
