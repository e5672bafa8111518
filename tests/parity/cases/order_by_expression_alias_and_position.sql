-- tables: numbers
-- ordered
SELECT id, i * 2 AS twice FROM numbers WHERE i IS NOT NULL ORDER BY twice DESC, 1 LIMIT 5
