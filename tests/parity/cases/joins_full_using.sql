-- tables: people, visits
SELECT person, count(*) AS rows, max(name) AS name FROM people FULL OUTER JOIN visits USING (person) GROUP BY person
