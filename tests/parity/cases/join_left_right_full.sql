-- tables: people, visits
SELECT 'left' AS kind, p.name, v.place FROM people p LEFT JOIN visits v ON p.person = v.person
UNION ALL SELECT 'right', p.name, v.place FROM people p RIGHT JOIN visits v ON p.person = v.person
UNION ALL SELECT 'full', p.name, v.place FROM people p FULL OUTER JOIN visits v ON p.person = v.person AND v.hour > 9
