-- tables: numbers
-- built in code
SELECT *, CASE WHEN i = 7 THEN 0L WHEN i = -7 THEN 1L END AS code FROM numbers
