-- tables: numbers
-- fails: range|overflow
SELECT CAST(i AS INT) AS whole FROM numbers WHERE id = 7
