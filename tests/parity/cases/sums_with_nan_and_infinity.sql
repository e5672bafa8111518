-- tables: numbers
SELECT sum(x) AS s, avg(x) AS a FROM numbers WHERE id IN (1, 5, 9) UNION ALL SELECT sum(y), avg(y) FROM numbers WHERE id IN (8, 9) UNION ALL SELECT sum(x), avg(x) FROM numbers WHERE id IN (1, 9)
