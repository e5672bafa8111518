-- tables: numbers
-- fails: overflow
SELECT i + 9223372036854775807 AS too_much FROM numbers WHERE id = 1
