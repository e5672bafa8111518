-- tables: visits
-- built in code
SELECT a.person, count(*) AS pairs FROM visits a JOIN visits b ON a.person = b.person GROUP BY a.person
