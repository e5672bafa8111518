-- tables: visits
SELECT place, count(*) AS n, rank() OVER (ORDER BY count(*) DESC, place) AS r, sum(count(*)) OVER () AS total FROM visits GROUP BY place
