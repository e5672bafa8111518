SELECT k, listagg(s) WITHIN GROUP (ORDER BY s) AS c1, listagg(s, ', ') WITHIN GROUP (ORDER BY n DESC, s) AS c2,
       string_agg(DISTINCT s, '-') WITHIN GROUP (ORDER BY s DESC) AS c3, listagg(n, NULL) WITHIN GROUP (ORDER BY n) AS c4,
       listagg(s, ',') WITHIN GROUP (ORDER BY s) FILTER (WHERE s <> 'a') AS c5,
       hex(listagg(CAST(s AS BINARY), X'2C') WITHIN GROUP (ORDER BY s)) AS c6
FROM (VALUES (1, 'a', 1), (1, 'b', 2), (1, 'a', 3), (2, 'z', NULL), (3, NULL, 4)) AS t(k, s, n) GROUP BY k
