-- tables: cells
-- built in code
-- fails: abc
SELECT CAST(text AS BIGINT) AS whole FROM cells WHERE id = 4
