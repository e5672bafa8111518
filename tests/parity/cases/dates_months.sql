-- tables: days
SELECT id, add_months(day, int(n)) AS moved, last_day(day) AS last, trunc(day, 'MM') AS month, trunc(day, 'year') AS year, trunc(day, 'QUARTER') AS quarter,
       trunc(day, 'week') AS week, next_day(day, 'Monday') AS monday FROM days
