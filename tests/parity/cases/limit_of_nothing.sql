-- tables: people
SELECT person FROM people LIMIT 0
