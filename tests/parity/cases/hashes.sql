-- tables: people
SELECT person, xxhash64(name) AS h, xxhash64(person, name) AS both FROM people
