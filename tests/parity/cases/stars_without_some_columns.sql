-- tables: numbers
SELECT * EXCEPT (x, y, name) FROM numbers
