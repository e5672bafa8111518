-- tables: days
SELECT id, CAST(day + INTERVAL 1 MONTH AS DATE) AS month_on, CAST(day - INTERVAL 2 DAYS AS DATE) AS before, at + INTERVAL 90 MINUTES AS later, at - INTERVAL '1' YEAR AS year_ago FROM days
