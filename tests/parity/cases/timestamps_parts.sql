-- tables: days
SELECT id, hour(at) AS h, minute(at) AS m, second(at) AS s, CAST(at AS DATE) AS day, to_date(at) AS called, date_trunc('HOUR', at) AS hour, date_trunc('month', at) AS month,
       year(at) AS y, dayofweek(at) AS dw FROM days
