SELECT 1 AS i, 3000000000 AS l, 1.5 AS d, 1e2 AS e, 2.5D AS dd, 'x' AS s, TRUE AS t, NULL AS n, -0.0D AS z, DATE '2020-02-29' AS day, 1L AS long_one
