-- tables: numbers
SELECT sum(i) AS total, avg(x) AS mean, count(*) AS rows, max(name) AS most, stddev(x) AS spread FROM numbers WHERE id > 100
