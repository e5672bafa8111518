-- tables: numbers
SELECT id, CAST(x AS BIGINT) AS whole, CAST(x AS INT) AS narrow, CAST(-x AS BIGINT) AS other, bigint(x) AS called, int(x) AS called_int
FROM numbers WHERE abs(x) < 1000
