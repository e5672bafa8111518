-- tables: days
SELECT id, unix_timestamp(at) AS u, CAST(at AS DATE) AS d, hour(day) AS h, last_day(at) AS l, trunc(at, 'month') AS t, year(at) AS y FROM days
