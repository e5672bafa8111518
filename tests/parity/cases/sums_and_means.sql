-- tables: numbers
SELECT name, sum(i) AS total, avg(i) AS mean, mean(id) AS mean_id, sum(CASE WHEN x < 100 THEN x END) AS finite, sum(DISTINCT j) AS once FROM numbers WHERE id <> 7 GROUP BY name
