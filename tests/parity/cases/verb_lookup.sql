-- tables: numbers
-- built in code
SELECT *, CASE WHEN name IS NULL THEN -1L WHEN name = 'b' THEN 0L WHEN name = 'a' THEN 1L ELSE 2L END AS code FROM numbers
