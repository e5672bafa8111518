-- tables: numbers
SELECT name, min(x) AS lx, max(x) AS gx, min(y) AS ly, max(y) AS gy FROM numbers GROUP BY name
