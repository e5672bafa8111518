-- tables: people, visits
SELECT p.person, p.boss, v.place FROM people p JOIN visits v ON p.boss <=> v.person
