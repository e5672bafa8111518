WITH t AS (SELECT * FROM VALUES (1, 'a', 10), (1, 'b', 20), (2, 'a', 30), (NULL, 'b', 1) AS v(y, c, v)),
     w AS (SELECT * FROM VALUES (1, 10, 20), (2, NULL, 40) AS v(i, a, b))
SELECT 'pivot' AS kind, y, a, b FROM t PIVOT (sum(v) FOR c IN ('a', 'b'))
UNION ALL SELECT 'two', y, aa_s, bb_n FROM t PIVOT (sum(v) AS s, count(*) AS n FOR c IN ('a' AS aa, 'b' AS bb))
UNION ALL SELECT 'names', y, `a_sum(v)`, `b_count(v)` FROM t PIVOT (sum(v), count(v) FOR c IN ('a', 'b'))
UNION ALL SELECT 'keys', 0, `{1, a}_s`, z_m FROM t PIVOT (sum(v) s, max(v) m FOR (y, c) IN ((1, 'a'), (2, 'a') AS z))
UNION ALL SELECT c, `1`, `null`, `2` FROM t PIVOT (sum(v) FOR y IN (1, NULL, 2))
UNION ALL SELECT 'more', y, p.a, p.z FROM t PIVOT (sum(v) + 1 FOR c IN ('a', 'z')) AS p WHERE y > 0
UNION ALL SELECT k, i, v, 0 FROM w UNPIVOT (v FOR k IN (a, b))
UNION ALL SELECT k, i, v, 1 FROM w UNPIVOT INCLUDE NULLS (v FOR k IN (a AS x, b AS y)) AS u
UNION ALL SELECT k, v, x, 2 FROM w UNPIVOT ((v, x) FOR k IN ((i, a), (a, b) AS both)) AS u
