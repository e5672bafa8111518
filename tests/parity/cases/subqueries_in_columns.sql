-- tables: people, visits
SELECT name, (SELECT count(*) FROM visits v WHERE v.person = p.person) AS visits, EXISTS (SELECT 1 FROM visits v WHERE v.person = p.boss) AS led FROM people p
