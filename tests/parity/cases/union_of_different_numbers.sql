-- tables: people
SELECT person AS v FROM people UNION ALL SELECT pay FROM people
