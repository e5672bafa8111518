-- tables: numbers
-- ordered
SELECT id, i, name FROM numbers ORDER BY name DESC NULLS FIRST, i ASC NULLS LAST, id
