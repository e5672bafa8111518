-- tables: days
SELECT id, year(day) AS y, month(day) AS m, day(day) AS d, dayofmonth(day) AS dm, quarter(day) AS q, dayofyear(day) AS dy, dayofweek(day) AS dw,
       weekday(day) AS wd, weekofyear(day) AS w FROM days
