-- tables: numbers, visits
SELECT n.id, v.place FROM numbers n LEFT JOIN visits v ON n.name <=> v.place AND n.id = v.person
