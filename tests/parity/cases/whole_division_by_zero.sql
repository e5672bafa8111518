-- tables: numbers
-- fails: zero
SELECT i div 0 AS q FROM numbers WHERE id = 1
