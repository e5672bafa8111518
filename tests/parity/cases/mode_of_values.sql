-- tables: visits
SELECT mode(place) AS place, mode(hour) AS hour FROM visits
