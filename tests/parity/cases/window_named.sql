-- tables: flights
SELECT dep_time, row_number() OVER w AS n, sum(distance) OVER w AS running FROM flights WINDOW w AS (PARTITION BY carrier ORDER BY year, month, day, dep_time)
