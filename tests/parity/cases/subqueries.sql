-- tables: people, visits
SELECT name FROM people WHERE person IN (SELECT person FROM visits)
UNION ALL SELECT concat('no ', name) FROM people WHERE person NOT IN (SELECT person FROM visits)
UNION ALL SELECT concat('not ', name) FROM people p WHERE NOT EXISTS (SELECT 1 FROM visits v WHERE v.person = p.person)
UNION ALL SELECT concat('most ', name) FROM people WHERE pay = (SELECT max(pay) FROM people)
