-- tables: people, visits
SELECT person FROM people UNION SELECT person FROM visits
