-- tables: people
WITH people AS (SELECT person + 100 AS person FROM people) SELECT person FROM people
