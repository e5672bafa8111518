-- tables: people
SELECT person, hash(name) AS h, hash(person, name) AS both, hash(name, person) AS turned FROM people
