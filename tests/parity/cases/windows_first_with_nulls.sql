-- tables: visits
SELECT person, first(place) OVER (PARTITION BY person ORDER BY hour, place) AS f, last(place) OVER (PARTITION BY person ORDER BY hour, place) AS l, any_value(person) OVER (PARTITION BY person) AS a FROM visits
