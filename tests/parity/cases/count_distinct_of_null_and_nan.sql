-- tables: numbers
SELECT count(DISTINCT x) AS x, count(DISTINCT y) AS y, count(DISTINCT name, j) AS pairs FROM numbers
