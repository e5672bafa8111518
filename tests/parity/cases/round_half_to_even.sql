SELECT bround(2.5D) AS a, bround(3.5D) AS b, bround(-2.5D) AS c, bround(0.125D, 2) AS d, rint(2.5D) AS e
