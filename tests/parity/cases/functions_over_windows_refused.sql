-- refused: kurtosis
SELECT kurtosis(n) OVER (PARTITION BY g) AS k FROM (VALUES ('a', 3D), ('a', 1D)) AS t(g, n)
