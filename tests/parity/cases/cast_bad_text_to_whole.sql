-- tables: cells
-- fails: abc
SELECT CAST(text AS INT) AS whole FROM cells WHERE id = 4
