-- tables: numbers
-- fails: overflow
SELECT i * 9007199254740993 AS too_much FROM numbers WHERE id = 7
