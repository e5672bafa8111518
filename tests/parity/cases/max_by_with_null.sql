-- tables: people
SELECT max_by(boss, person) AS last, min_by(boss, person) AS first, max_by(name, pay) AS richest, min_by(boss, pay) AS poorest FROM people WHERE person IN (1, 2, 4, 5)
