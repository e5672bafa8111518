-- tables: visits
SELECT sum(hour) AS total FROM visits HAVING count(*) > 3
