-- tables: numbers
-- built in code
-- ordered
SELECT id, i FROM numbers ORDER BY i DESC, id LIMIT 3
