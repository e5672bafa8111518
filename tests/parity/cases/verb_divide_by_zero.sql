-- tables: numbers
-- built in code
-- fails: zero
SELECT i / (j - j) AS ratio FROM numbers WHERE id = 1
