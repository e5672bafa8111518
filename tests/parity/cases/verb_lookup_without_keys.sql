-- tables: visits
-- built in code
SELECT *, CASE WHEN place IS NULL THEN 9L ELSE 5L END AS code FROM visits
