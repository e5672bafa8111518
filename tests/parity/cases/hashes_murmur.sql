-- tables: people
-- refused: hash
SELECT person, hash(name) AS h FROM people
