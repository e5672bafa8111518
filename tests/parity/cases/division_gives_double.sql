-- tables: numbers
SELECT id, i / j AS quotient, i / 2 AS half, 7 / 2 AS three_and_a_half, x / y AS ratio
FROM numbers WHERE j IS NOT NULL AND y <> 0
