-- tables: numbers
SELECT id, CASE WHEN i > 0 THEN i ELSE x END AS mixed, i IN (7, 0.0D) AS a, i = 7.0D AS b, i BETWEEN 0 AND 8.5 AS c, x IN (i, j) AS d, sign(i) AS s, i % 2.5 AS m FROM numbers WHERE id < 5
