SELECT hash(b, y, s) AS c1, hash(l, f) AS c2, hash(d) AS c3, hash(p) AS c4, hash(w) AS c5, hash(t, x) AS c6,
       hash(e, m) AS c7, hash(a) AS c8, hash(array(a, NULL), named_struct('f', t, 'g', l)) AS c9,
       xxhash64(b, y, s) AS x1, xxhash64(l, f) AS x2, xxhash64(d) AS x3, xxhash64(p) AS x4, xxhash64(w) AS x5,
       xxhash64(t, x) AS x6, xxhash64(e, m) AS x7, xxhash64(a) AS x8, xxhash64(NULL, t, l) AS x9
FROM (VALUES
  (true, 1Y, 2S, 3L, 1.5F, 2.5D, 1.50BD, CAST(-12345678901234567890.5 AS DECIMAL(30, 10)), 'abc', X'0102', DATE'2020-01-01', TIMESTAMP'2020-01-01 10:11:12', array(1, 2)),
  (false, -1Y, -2S, -3L, CAST('NaN' AS FLOAT), -0.0D, -0.01BD, CAST(0 AS DECIMAL(30, 10)), 'a longer text of more than thirty-two bytes, é', X'', DATE'1969-12-31', TIMESTAMP'1969-12-31 23:59:59.5', array()),
  (NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL)) AS t(b, y, s, l, f, d, p, w, t, x, e, m, a)
