-- tables: days
SELECT id, at > day AS later, at = CAST(day AS TIMESTAMP_NTZ) AS midnight, datediff(at, day) AS apart, date_add(at, 1) AS next, at < '2013-01-01' AS old, CAST(day AS TIMESTAMP_NTZ) AS start FROM days
