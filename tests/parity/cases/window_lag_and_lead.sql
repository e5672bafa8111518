-- tables: flights
SELECT year, month, day, dep_time, lag(dep_delay) OVER (PARTITION BY tailnum, year, month, day ORDER BY dep_time) AS previous,
       lead(dep_delay, 1, -99) OVER (PARTITION BY tailnum ORDER BY year, month, day, dep_time) AS next FROM flights
