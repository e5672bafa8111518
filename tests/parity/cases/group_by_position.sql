-- tables: numbers
SELECT name, i % 2 AS odd, count(*) AS rows FROM numbers GROUP BY 1, 2
