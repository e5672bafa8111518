-- tables: flights
SELECT dep_time, sum(distance) OVER (PARTITION BY origin ORDER BY year, month, day, dep_time) AS running, sum(distance) OVER (PARTITION BY origin) AS whole,
       sum(distance) OVER (ORDER BY year, month, day, dep_time ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) AS last_three,
       count(*) OVER (ORDER BY month RANGE BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS peers FROM flights
