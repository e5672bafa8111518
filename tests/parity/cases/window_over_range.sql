-- tables: visits
SELECT person, hour, count(*) OVER (ORDER BY hour RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) AS near FROM visits
