-- tables: people, visits
WITH known AS (SELECT * FROM visits WHERE person IS NOT NULL), counts AS (SELECT person, count(*) AS n FROM known GROUP BY person)
SELECT p.name, coalesce(c.n, 0) AS visits FROM people p LEFT JOIN counts c ON c.person = p.person -- comments, too
