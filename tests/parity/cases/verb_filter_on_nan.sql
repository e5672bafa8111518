-- tables: numbers
-- built in code
SELECT * FROM numbers WHERE x >= 0.5D
