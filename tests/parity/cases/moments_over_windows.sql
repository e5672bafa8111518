SELECT k, a, round(var_pop(a) OVER (PARTITION BY k), 9) AS c1, round(stddev(a) OVER (PARTITION BY k ORDER BY a), 9) AS c2,
       round(covar_pop(a, a) FILTER (WHERE a > 1) OVER (PARTITION BY k), 9) AS c3, round(std(a) OVER (), 9) AS c4
FROM (VALUES (1, 1D), (1, 2D), (1, 4D), (2, 3D), (2, 5D)) AS t(k, a)
