-- tables: days
SELECT id, date_trunc('week', at) AS w, date_trunc('QUARTER', at) AS q, date_trunc('day', at) AS d, date_trunc('MINUTE', at) AS m, trunc(day, 'MON') AS mon, trunc(day, 'yy') AS y FROM days
