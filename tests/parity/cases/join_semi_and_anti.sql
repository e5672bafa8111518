-- tables: people, visits
SELECT 'semi' AS kind, name FROM people LEFT SEMI JOIN visits ON people.person = visits.person
UNION ALL SELECT 'anti', name FROM people LEFT ANTI JOIN visits ON people.person = visits.person
UNION ALL SELECT 'cross', concat(a.name, b.name) FROM people a CROSS JOIN people b WHERE a.person < 3 AND b.person < 3
