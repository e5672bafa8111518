SELECT 1e308D * 10 AS inf, -1e308D * 10 AS minus, CAST('Infinity' AS DOUBLE) - CAST('Infinity' AS DOUBLE) AS nan, 1e-320D * 1e-10D AS zero
