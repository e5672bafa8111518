-- tables: visits
SELECT person, place, count(*) AS rows FROM visits GROUP BY CUBE (person, place)
