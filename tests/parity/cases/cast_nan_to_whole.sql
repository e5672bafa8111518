-- tables: numbers
-- fails: nan
SELECT CAST(x AS BIGINT) AS whole FROM numbers WHERE id = 5
