SELECT var_pop(a) AS c1, var_samp(a) AS c2, variance(a) AS c3, stddev(a) AS c4, std(a) AS c5, stddev_pop(a) AS c6, stddev_samp(a) AS c7,
       skewness(a) AS c8, kurtosis(a) AS c9, covar_pop(a, b) AS c10, covar_samp(a, b) AS c11, corr(a, b) AS c12, regr_slope(a, b) AS c13,
       regr_intercept(a, b) AS c14, regr_r2(a, b) AS c15, regr_sxx(a, b) AS c16, regr_sxy(a, b) AS c17, regr_syy(a, b) AS c18
FROM (VALUES (100000000.1D, 100000000.7D), (100000000.2D, 100000000.1D), (NULL, 3D), (100000000.3D, 100000000.5D), (4D, NULL), (100000001D, 100000002D)) AS t(a, b)
