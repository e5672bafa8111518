-- tables: numbers
SELECT sum(id) AS total FROM (SELECT id FROM numbers ORDER BY x DESC, id LIMIT 3) top
