-- tables: kinds
-- built in code
-- fails: overflow
SELECT whole + 1L AS more FROM kinds
