-- tables: numbers
SELECT id, decode(name, 'a', 1, 'b', 2, 0) AS code FROM numbers
