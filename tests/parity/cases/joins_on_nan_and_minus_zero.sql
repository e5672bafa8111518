-- tables: numbers
SELECT a.id, b.id AS other FROM numbers a JOIN numbers b ON a.x = b.y
