-- tables: people
-- refused: xxhash64
SELECT person, xxhash64(name) AS h FROM people
