-- tables: numbers
-- ordered
SELECT name, count(*) AS rows FROM numbers GROUP BY name ORDER BY name
