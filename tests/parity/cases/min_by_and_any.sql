-- tables: people
SELECT max_by(name, person) AS last, min_by(name, person) AS first, bool_or(pay > 90) AS rich, every(pay > 10) AS paid FROM people
