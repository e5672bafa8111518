SELECT to_json(named_struct('i', i, 's', s, 'd', d, 'f', CAST(d AS FLOAT), 'p', p, 'b', b, 'e', e, 'x', x)) AS c1, to_json(array(i, NULL)) AS c2,
       to_json(map(s, i, 'k', NULL)) AS c3, to_json(struct(i, s)) AS c4,
       to_json(array(named_struct('l', array(s), 'm', map(i, array(named_struct('q', p)))))) AS c5, to_json(CAST(NULL AS ARRAY<INT>)) AS c6
FROM (VALUES (1, 'x"y\\z\n/é', 1.5D, 1.50BD, true, DATE'2020-01-02', X'616263'), (2, '\u0001', 1e10D, 0.00BD, false, DATE'1969-12-31', X''),
  (3, '', CAST('NaN' AS DOUBLE), -2.25BD, NULL, NULL, NULL), (4, 'w', -0.0D, NULL, NULL, NULL, NULL), (5, 'v', 1e-7D, NULL, NULL, NULL, NULL)) AS t(i, s, d, p, b, e, x)
