-- tables: visits
SELECT person, place, hour, row_number() OVER (ORDER BY person, hour, place) AS n, rank() OVER (ORDER BY place) AS r, dense_rank() OVER (ORDER BY place DESC) AS d,
       ntile(3) OVER (ORDER BY person, hour, place) AS t, percent_rank() OVER (ORDER BY place) AS p FROM visits
