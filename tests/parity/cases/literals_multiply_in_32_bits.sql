-- fails: overflow
SELECT 100000 * 100000 AS n
