-- tables: days
SELECT id, date_add(day, int(n)) AS later, date_sub(day, int(n)) AS earlier, datediff(day, DATE '2013-01-01') AS apart, date_add(day, 30) AS month_on,
       day + 1 AS tomorrow, day - 1 AS yesterday FROM days
