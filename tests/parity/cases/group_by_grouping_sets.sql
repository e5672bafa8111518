-- tables: visits
SELECT person, place, count(*) AS rows, grouping(place) AS g FROM visits GROUP BY GROUPING SETS ((person), (place), ())
