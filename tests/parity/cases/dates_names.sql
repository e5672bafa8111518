-- tables: days
SELECT id, dayname(day) AS d, monthname(day) AS m FROM days
