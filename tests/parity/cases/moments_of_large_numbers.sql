SELECT round(var_pop(a), 7) AS c1, round(var_samp(a), 7) AS c2, round(variance(a), 7) AS c3, round(stddev(a), 7) AS c4, round(std(a), 7) AS c5,
       round(stddev_pop(a), 7) AS c6, round(stddev_samp(a), 7) AS c7, round(skewness(a), 5) AS c8, round(kurtosis(a), 5) AS c9,
       round(covar_pop(a, b), 7) AS c10, round(covar_samp(a, b), 7) AS c11, round(corr(a, b), 7) AS c12, round(regr_slope(a, b), 7) AS c13,
       round(regr_intercept(a, b) / 1e8D, 6) AS c14, round(regr_r2(a, b), 7) AS c15, round(regr_sxx(a, b), 6) AS c16,
       round(regr_sxy(a, b), 6) AS c17, round(regr_syy(a, b), 6) AS c18
FROM (VALUES (100000000.1D, 100000000.7D), (100000000.2D, 100000000.1D), (NULL, 3D), (100000000.3D, 100000000.5D), (NULL, NULL), (100000001D, 100000002D)) AS t(a, b)
