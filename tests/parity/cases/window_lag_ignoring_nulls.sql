-- tables: flights
-- refused: IGNORE NULLS
SELECT dep_time, lag(arr_delay) IGNORE NULLS OVER (ORDER BY year, month, day, dep_time) AS previous FROM flights
