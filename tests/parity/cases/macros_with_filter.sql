SELECT max_by(x, y) FILTER (WHERE y > 1) AS a, min_by(x, y) FILTER (WHERE y > 1) AS b, mean(x) FILTER (WHERE y > 1) AS c,
       every(x > 1) FILTER (WHERE y > 1) AS d, some(x > 2) FILTER (WHERE y > 1) AS e, percentile(x, 0.5) FILTER (WHERE y > 1) AS f
FROM VALUES (1.5D, 1), (2.5D, 2), (4.0D, 3) AS t(x, y)
