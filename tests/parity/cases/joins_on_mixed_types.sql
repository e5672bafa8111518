-- tables: numbers, cells
SELECT n.id, c.id AS other FROM numbers n JOIN cells c ON n.i = c.number
