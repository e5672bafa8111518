-- tables: flights
SELECT year, month, day, make_date(year, month, day) AS flown, datediff(make_date(year, month, day), make_date(year, 1, 1)) AS day_of_year FROM flights
