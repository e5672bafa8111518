SELECT factorial(5) AS f, greatest(1, 2.5D, NULL) AS g, pi() AS pi, degrees(0.0D) AS d, negative(3) AS n, positive(3) AS p, mod(-7, 3) AS m, pmod(-7, 3) AS pm, e() > 2.7 AS e
