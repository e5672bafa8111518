-- tables: numbers
SELECT id, abs(i) AS a, -i AS n, sign(x) AS s, sqrt(abs(i)) AS r, power(i, 2) AS p, i + 1.5D AS more, cbrt(27.0D) AS c, exp(0) AS one, ln(0.0D) AS none, log10(1000) AS three, log2(8) AS two
FROM numbers WHERE id <> 7
