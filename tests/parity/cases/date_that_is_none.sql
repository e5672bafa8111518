-- fails: date|day
SELECT make_date(2013, 2, 30) AS day
