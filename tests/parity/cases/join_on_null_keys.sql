-- tables: people, visits
SELECT p.person, p.name, v.place FROM people p JOIN visits v ON p.boss = v.person
