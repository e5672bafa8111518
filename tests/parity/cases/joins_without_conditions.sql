-- tables: people, visits
SELECT p.person, q.person AS other FROM people p JOIN people q LEFT JOIN visits v ON v.person = p.person
WHERE p.person < q.person
