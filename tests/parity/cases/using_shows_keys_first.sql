WITH l AS (SELECT * FROM VALUES (1, 10, 'x'), (2, 20, 'y') AS t(a, k, b)),
     r AS (SELECT * FROM VALUES (10, 'p', 7), (30, 'q', 8) AS t(k, c, d))
SELECT 'inner' AS kind, * FROM l JOIN r USING (k)
UNION ALL SELECT 'left', * FROM l LEFT JOIN r USING (k)
UNION ALL SELECT 'right', * FROM l RIGHT JOIN r USING (k)
UNION ALL SELECT 'full', * FROM l FULL JOIN r USING (k)
UNION ALL SELECT 'natural', * FROM l NATURAL FULL OUTER JOIN r
UNION ALL SELECT 'sides', l.*, r.c, r.d FROM l RIGHT JOIN r USING (k)
UNION ALL SELECT 'comma', k, a, b, c, d FROM (SELECT * FROM VALUES (0) AS z(z), l RIGHT JOIN r USING (k)) AS j
UNION ALL SELECT 'twice', k, a, b, c, d FROM (SELECT * FROM l FULL JOIN r USING (k) LEFT JOIN VALUES (30, 1) AS s(k, e) USING (k)) AS j
UNION ALL SELECT 'without', 0, * EXCEPT (k) FROM l JOIN r USING (k)
UNION ALL SELECT 'named', x, y, z, v, w FROM (l FULL JOIN r USING (k)) AS j(x, y, z, v, w)
UNION ALL SELECT 'no name', * FROM (SELECT 5 AS a, 6 AS k, 'e' AS b) JOIN (SELECT 6 AS k, 'f' AS c, 7 AS d) USING (k)
UNION ALL SELECT 'semi', *, '', 0 FROM l LEFT SEMI JOIN r USING (k)
UNION ALL SELECT 'apart', a, x, '', y, 0 FROM VALUES (1, 2) AS m(a, x) NATURAL JOIN VALUES ('n') AS n(y)
