-- tables: cells
-- fails: abc
SELECT CAST(text AS BOOLEAN) AS flag FROM cells WHERE id = 4
