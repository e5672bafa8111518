SELECT round(2.5D) AS a, round(-2.5D) AS b, round(3.5D) AS c, round(0.125D, 2) AS d, round(1234.5D, -2) AS e, round(25, -1) AS f, round(2.5) AS g, round(1.005, 2) AS h, round(-0.5D) AS i
