-- tables: days
-- built in code
SELECT id, quarter(day) AS q, weekofyear(day) AS w, dayofyear(day) AS y, dayofweek(day) AS d,
       hour(day) AS h, hour(at) AS t, minute(at) AS m, second(at) AS s, dayofweek(at) AS a,
       CAST(unix_micros(CAST(day AS TIMESTAMP)) AS DOUBLE) / 1000000 AS u, CAST(unix_micros(CAST(at AS TIMESTAMP)) AS DOUBLE) / 1000000 AS v
FROM days
