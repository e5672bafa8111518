-- tables: numbers
SELECT x, count(*) AS rows, count(x) AS known FROM numbers GROUP BY x
