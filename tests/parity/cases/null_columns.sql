-- tables: people
SELECT person, NULL AS nothing, CAST(NULL AS DOUBLE) AS number FROM people
