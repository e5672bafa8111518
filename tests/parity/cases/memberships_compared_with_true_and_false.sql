WITH t AS (SELECT * FROM VALUES (1, 2), (2, NULL), (NULL, 3), (3, 1) AS v(a, b)), u AS (SELECT * FROM VALUES (1), (NULL) AS v(c))
SELECT a, (a NOT IN (SELECT c FROM u)) = false AS d, false = (a NOT IN (SELECT c FROM u)) AS e, (a IN (SELECT c FROM u)) = false AS f,
       (a NOT IN (SELECT c FROM u)) <> true AS g, (NOT a IN (SELECT c FROM u)) != false AS h, NOT ((a NOT IN (SELECT c FROM u)) = false) AS i,
       ((a IN (SELECT c FROM u)) AND a > 0) = false AS j, ((a NOT IN (SELECT c FROM u)) OR a > 2) = false AS k,
       (a NOT IN (SELECT c FROM u)) <=> false AS l, (a IN (SELECT c FROM u)) = (a = 1) AS m,
       NOT CASE WHEN a NOT IN (SELECT c FROM u) THEN true ELSE false END AS n, NOT CASE WHEN a IN (SELECT c FROM u) THEN true END AS o,
       NOT CASE WHEN a NOT IN (SELECT c FROM u) THEN false ELSE true END AS p, NOT CASE WHEN a > 1 THEN true ELSE false END AS q
FROM t
UNION ALL SELECT a, true, true, true, true, true, true, true, true, true, true, true, true, true, true FROM t WHERE (a NOT IN (SELECT c FROM u)) = false
UNION ALL SELECT a, false, true, true, true, true, true, true, true, true, true, true, true, true, true FROM t WHERE NOT ((a IN (SELECT c FROM u)) = true)
UNION ALL SELECT a, true, false, true, true, true, true, true, true, true, true, true, true, true, true FROM t
          WHERE NOT CASE WHEN a NOT IN (SELECT c FROM u) THEN true ELSE false END
