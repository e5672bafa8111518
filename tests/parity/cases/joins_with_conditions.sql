-- tables: people, visits
SELECT p.name, v.place FROM people p LEFT JOIN visits v ON p.person = v.person AND v.hour IS NOT NULL AND p.pay > 70
