-- tables: people
SELECT person, name, pay, pay > 1 AS rich FROM people WHERE FALSE
