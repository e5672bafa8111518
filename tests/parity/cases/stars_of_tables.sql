-- tables: people, visits
SELECT v.*, p.name FROM people p JOIN visits v ON p.person = v.person
