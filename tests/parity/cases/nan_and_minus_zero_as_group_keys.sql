-- tables: numbers
SELECT y + 0.0D AS key, count(*) AS rows FROM numbers GROUP BY y + 0.0D
UNION ALL SELECT CASE WHEN y = 0 THEN 99 ELSE y END, count(*) FROM (SELECT y FROM numbers UNION ALL SELECT y FROM numbers) twice GROUP BY CASE WHEN y = 0 THEN 99 ELSE y END
