-- tables: numbers
SELECT id, i == 7 AS a, i != 7 AS b, !(i = 7) AS c FROM numbers
