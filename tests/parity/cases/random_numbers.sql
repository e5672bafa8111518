-- tables: people
-- refused: rand
SELECT person, rand(1) >= 0 AS r FROM people
