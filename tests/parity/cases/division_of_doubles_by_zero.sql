-- tables: numbers
-- fails: zero
SELECT x / y AS q FROM numbers WHERE id = 2
