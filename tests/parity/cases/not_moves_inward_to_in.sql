WITH t AS (SELECT * FROM VALUES (1, 2), (2, NULL), (NULL, 3), (2, 3) AS v(a, b)), u AS (SELECT * FROM VALUES (1), (NULL) AS v(b)),
     w AS (SELECT * FROM VALUES (1, 2), (NULL, 3) AS v(c, d))
SELECT a, b, NOT (a IN (SELECT b FROM u) AND a > 0) AS x, NOT (a NOT IN (SELECT b FROM u) OR a > 5) AS y, NOT NOT (a NOT IN (SELECT b FROM u)) AS z,
       (a, b) NOT IN (SELECT c, d FROM w) AS p, (a, b) IN (SELECT c, d FROM w) AS q, NOT (a NOT IN (SELECT b FROM u) AND b NOT IN (SELECT c FROM w)) AS r
FROM t
UNION ALL SELECT a, b, true, true, true, true, true, true FROM t WHERE NOT (a NOT IN (SELECT b FROM u) AND a > 0)
UNION ALL SELECT a, b, false, false, true, true, true, true FROM t WHERE (a, b) NOT IN (SELECT c, d FROM w)
UNION ALL SELECT a, b, true, false, true, true, true, true FROM t WHERE NOT (NOT (a NOT IN (SELECT b FROM u)) OR a > 5)
