-- tables: people
SELECT person FROM people MINUS SELECT 1
