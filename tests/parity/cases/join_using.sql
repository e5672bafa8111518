-- tables: people, visits
SELECT person, name, place FROM people JOIN visits USING (person)
