WITH t AS (SELECT * FROM VALUES (1, array('a', 'b'), map('k', 5)), (2, NULL, NULL), (3, array(), map()) AS v(i, l, m))
SELECT 'explode' AS kind, i, CAST(0 AS INT) AS p, col AS x FROM (SELECT i, explode(l) FROM t) AS q
UNION ALL SELECT 'posexplode', i, pos, col FROM (SELECT posexplode(l), i FROM t) AS q
UNION ALL SELECT 'posexplode outer', i, p, x FROM (SELECT i, posexplode_outer(l) AS (p, x) FROM t) AS q
UNION ALL SELECT 'map', i, value, key FROM (SELECT i, explode(m) FROM t) AS q
UNION ALL SELECT 'map outer', i, v, k FROM (SELECT i, explode_outer(m) AS (k, v) FROM t) AS q
UNION ALL SELECT 'places of a map', i, p + v, k FROM (SELECT i, posexplode(m) AS (p, k, v) FROM t) AS q
UNION ALL SELECT 'inline', i, a, b FROM (SELECT inline(array(named_struct('a', i, 'b', 'x'), NULL)) AS (a, b), i FROM t) AS q
UNION ALL SELECT 'stack', i, v, k FROM (SELECT i, stack(2, 'p', i, 'q', i * 10) AS (k, v) FROM t) AS q
UNION ALL SELECT 'stack short', 0, col0, col1 FROM (SELECT stack(2, 1, 'a', 2)) AS q
UNION ALL SELECT 'two', i, y, x FROM (SELECT i, explode(l) AS x, explode(array(7, 8)) AS y FROM t) AS q
UNION ALL SELECT 'window', i, n, x FROM (SELECT i, explode(l) AS x, CAST(sum(i) OVER () AS INT) AS n FROM t) AS q
UNION ALL SELECT 'view', i, p, x FROM t LATERAL VIEW posexplode(l) e AS p, x
UNION ALL SELECT 'view outer', t.i, 0, e.x FROM t LATERAL VIEW OUTER explode(l) e AS x
UNION ALL SELECT 'views', i, v, x FROM t LATERAL VIEW explode(l) AS x LATERAL VIEW explode(m) AS k, v WHERE x > 'a'
UNION ALL SELECT 'view of a join', i, j, x FROM t, VALUES (4) AS u(j) LATERAL VIEW explode(l) e AS x
UNION ALL SELECT 'view of places', i, pos, col FROM t LATERAL VIEW posexplode(l) e
UNION ALL SELECT 'table', i, 0, x FROM t, LATERAL explode(l) AS e(x)
UNION ALL SELECT 'table alone', 0, p, x FROM posexplode(array('c')) AS e(p, x)
UNION ALL SELECT 'lateral', i, n, '' FROM t, LATERAL (SELECT i + 1 AS n)
UNION ALL SELECT 'lateral left', i, n, '' FROM t LEFT JOIN LATERAL (SELECT i + 1 AS n WHERE i = 2) AS u
