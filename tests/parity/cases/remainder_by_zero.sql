-- tables: numbers
-- fails: zero
SELECT i % (j - j) AS q FROM numbers WHERE id = 1
