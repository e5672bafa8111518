-- tables: numbers
SELECT id, i % j AS r, mod(i, j) AS m, pmod(i, j) AS p, x % 2 AS xr, pmod(x, 2.0D) AS xp FROM numbers WHERE x < 1e10
