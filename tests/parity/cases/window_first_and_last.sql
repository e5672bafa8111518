-- tables: visits
SELECT person, hour, first_value(place) OVER (PARTITION BY person ORDER BY hour) AS first, last_value(place) OVER (PARTITION BY person ORDER BY hour) AS last,
       min(hour) OVER (PARTITION BY person) AS early, avg(hour) OVER (ORDER BY hour, person, place ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS smooth FROM visits WHERE place IS NOT NULL
