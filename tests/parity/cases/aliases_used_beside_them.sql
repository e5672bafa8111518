-- tables: numbers
SELECT id, i * 2 AS twice, twice + 1 AS more FROM numbers WHERE i < 10
