-- tables: numbers
SELECT id, 1 << 33 AS a, 1 << -1 AS b, -5 << 2 AS c, 1L << 65 AS d, -8 >> 1 AS e, -8 >> 33 AS f,
  -8 >>> 1 AS g, -8L >>> 1 AS h, i << 2 AS j, i >> 1 AS k, !~3 < 2 AS l, 1 << NULL AS m FROM numbers
