-- tables: people, visits
SELECT person FROM visits EXCEPT ALL SELECT person FROM people UNION ALL SELECT person + 100 FROM visits INTERSECT ALL SELECT person + 100 FROM people UNION DISTINCT SELECT 7
