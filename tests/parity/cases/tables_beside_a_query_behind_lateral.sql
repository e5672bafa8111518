WITH t AS (SELECT * FROM VALUES (1, 2), (2, NULL), (NULL, 3), (3, 1) AS v(a, b)), u AS (SELECT * FROM VALUES (1), (NULL) AS v(c))
SELECT 'comma' AS kind, t.a, d.m FROM t, LATERAL (SELECT max(c) AS m FROM u WHERE c = t.a) AS d
UNION ALL SELECT 'cross', a, m FROM t CROSS JOIN LATERAL (SELECT max(c) FROM u WHERE c = a) AS d(m)
UNION ALL SELECT 'left', t.a, d.* FROM t LEFT JOIN LATERAL (SELECT c FROM u WHERE u.c = t.a) AS d ON true
UNION ALL SELECT 'union', t.a, d.* FROM t, LATERAL ((SELECT a + 1 AS x) UNION ALL (SELECT b)) AS d
UNION ALL SELECT 'around', a, (SELECT max(m) FROM (SELECT c AS m FROM u WHERE c = t.a) AS d) FROM t
UNION ALL SELECT 'rows', a, e FROM t, LATERAL explode(array(a, b)) AS x(e)
UNION ALL SELECT 'view', a, e FROM t LATERAL VIEW explode(array(b)) x AS e
