-- tables: numbers
SELECT id, greatest(x, y) AS g, least(x, y) AS l, greatest(i, j, 3) AS gi, least(i, j, 3) AS li, greatest(x, NULL) AS gn FROM numbers
