-- tables: numbers
SELECT DISTINCT CASE WHEN y = 0 THEN 0 ELSE y END AS y FROM numbers
