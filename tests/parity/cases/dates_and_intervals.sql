-- tables: days
SELECT id, day + INTERVAL 1 MONTH AS month_on, day - INTERVAL 2 DAYS AS before, at + INTERVAL 90 MINUTES AS later, at - INTERVAL '1' YEAR AS year_ago FROM days
