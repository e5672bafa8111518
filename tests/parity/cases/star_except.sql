-- tables: people
SELECT * EXCEPT (pay, boss) FROM people
