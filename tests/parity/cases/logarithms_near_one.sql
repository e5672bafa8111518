SELECT a, log1p(a) AS c1, expm1(a) AS c2, ln(a) AS c3, log(a) AS c4, log2(a) AS c5, log(3, a) AS c6
FROM (VALUES (1e-10D), (1.0D), (-1.0D), (-2.0D), (0.0D), (1e300D), (CAST('NaN' AS DOUBLE)), (710D), (0.5D), (3D), (NULL)) AS t(a)
