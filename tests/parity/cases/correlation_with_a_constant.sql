-- tables: people
-- fails: zero
SELECT corr(person, 1) AS r FROM people
