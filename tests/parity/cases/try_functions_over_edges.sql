SELECT try_add(x, y) AS a, try_subtract(x, y) AS b, try_multiply(x, y) AS c, try_mod(x, y) AS d, try_divide(x, y) AS e,
  try_add(p, q) AS f, try_multiply(p, p) AS g, try_divide(p, q - q) AS h, try_add(t, 1Y) AS i, try_multiply(l, l) AS j,
  try_add(DATE '2013-07-04', x - x + 3) AS k, try_add(DATE '2013-07-04', INTERVAL 1 DAY) AS l, try_subtract(DATE '2013-03-31', INTERVAL 1 MONTH) AS m,
  typeof(try_add(DATE '2013-07-04', INTERVAL 1 DAY)) AS n, typeof(try_add(p, q)) AS o, try_mod(x - x - 2147483647 - 1, -1) AS r, try_add('a', x) AS s
FROM VALUES (2147483647, 1, 1.5BD, 0.1BD, 127Y, 9223372036854775807L), (-2147483648, -1, 99.9BD, 0.0BD, 1Y, 3L), (1, 0, NULL, 1.0BD, NULL, NULL) AS v(x, y, p, q, t, l)
