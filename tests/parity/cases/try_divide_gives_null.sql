-- tables: numbers
SELECT id, try_divide(i, j - 2) AS q, try_divide(x, y) AS r FROM numbers
