-- fails: ARITHMETIC_OVERFLOW|overflow|range
SELECT shiftright(x, 1) + y AS a FROM VALUES (8, 2147483647) AS t(x, y)
