-- tables: kinds
-- ordered
SELECT 'above' AS what, count(*) AS found FROM kinds WHERE number > 100
UNION ALL SELECT 'equal', count(*) FROM kinds WHERE number = CAST('NaN' AS DOUBLE)
UNION ALL SELECT 'joined', count(*) FROM kinds k JOIN (SELECT CAST('NaN' AS DOUBLE) AS number) n ON k.number = n.number
UNION ALL SELECT 'single', count(*) FROM kinds WHERE single BETWEEN 100 AND CAST('NaN' AS FLOAT)
UNION ALL SELECT 'summed', sum(CASE WHEN number > 100 THEN 1 ELSE 0 END) FROM kinds
ORDER BY what
