SELECT k, var_pop(a) AS c1, stddev(a) AS c2, skewness(a) AS c3, kurtosis(a) AS c4, covar_pop(a, a) AS c5, regr_sxx(a, a) AS c6
FROM (VALUES (1, CAST('NaN' AS DOUBLE)), (1, 1D), (2, CAST('Infinity' AS DOUBLE)), (2, 1D), (3, 1D), (4, 1D), (4, 1D), (5, NULL)) AS t(k, a) GROUP BY k
