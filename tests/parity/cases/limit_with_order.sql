-- tables: numbers
-- ordered
SELECT id, y FROM numbers ORDER BY y DESC, id LIMIT 4 OFFSET 2
