-- tables: numbers
SELECT id, i IN (7, NULL) AS a, i NOT IN (7, NULL) AS b, i IN (7, -7) AS c, x IN (double('NaN')) AS d FROM numbers
