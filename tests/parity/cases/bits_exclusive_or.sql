-- tables: numbers
SELECT id, i ^ j AS both, 5 ^ 3 AS fixed, - 2 ^ 2 AS negative, i ^ 1 & j AS mixed FROM numbers
