-- tables: numbers
SELECT count(*) AS groups FROM (SELECT y FROM numbers GROUP BY y) g UNION ALL SELECT count(DISTINCT y) FROM numbers UNION ALL SELECT count(*) FROM (SELECT DISTINCT y FROM numbers) d
UNION ALL SELECT count(*) FROM numbers a JOIN numbers b ON a.y = b.y
