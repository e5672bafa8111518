-- tables: people
-- fails: row
SELECT (SELECT name FROM people) AS one
