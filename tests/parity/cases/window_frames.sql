-- tables: flights
SELECT dep_time, avg(distance) OVER (PARTITION BY carrier ORDER BY year, month, day, dep_time ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before,
       sum(distance) OVER (ORDER BY month) AS peers, max(arr_delay) OVER (PARTITION BY origin) AS worst, lag(distance, 2) OVER (ORDER BY year, month, day, dep_time) AS two_back,
       lag(distance, 1, 0) OVER (ORDER BY year, month, day, dep_time) AS one_back, cume_dist() OVER (ORDER BY month, day) AS c, nth_value(dest, 2) OVER (ORDER BY year, month, day, dep_time) AS second FROM flights
