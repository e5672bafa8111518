-- tables: numbers
-- fails: range|overflow|1e300|1.0E300
SELECT CAST(x AS BIGINT) AS whole FROM numbers WHERE id = 7
