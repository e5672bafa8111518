SELECT CAST(round(2.5) AS DOUBLE) AS a, CAST(round(-2.5) AS DOUBLE) AS b, round(1.005, 2) AS c, CAST(bround(2.5) AS DOUBLE) AS d
