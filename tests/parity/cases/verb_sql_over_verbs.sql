-- tables: numbers, people
-- built in code
SELECT n.id, p.name FROM (SELECT * FROM numbers WHERE i > 0) n LEFT JOIN (SELECT person, name FROM people) p ON p.person = n.id
