-- tables: numbers
-- ordered
SELECT -id AS id, i AS j, j AS i FROM numbers ORDER BY id + 0
