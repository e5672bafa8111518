-- tables: people, visits
SELECT 'both' AS kind, person FROM (SELECT person FROM people INTERSECT SELECT person FROM visits) a
UNION ALL SELECT 'only', person FROM (SELECT person FROM visits EXCEPT SELECT person FROM people) b
