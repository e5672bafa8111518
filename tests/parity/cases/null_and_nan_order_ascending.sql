-- tables: numbers
-- ordered
SELECT id, x FROM numbers ORDER BY x, id
