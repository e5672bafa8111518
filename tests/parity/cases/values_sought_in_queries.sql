WITH t(b) AS (VALUES (1), (NULL))
SELECT a, a IN (SELECT b FROM t) AS found, a NOT IN (SELECT b FROM t) AS missing, NOT (a IN (SELECT b FROM t)) AS negated,
  (a IN (SELECT b FROM t)) IS NULL AS unknown, coalesce(a IN (SELECT b FROM t), true) AS kept,
  CASE WHEN a NOT IN (SELECT b FROM t) THEN 1 ELSE 0 END AS chosen,
  (SELECT count(*) FROM t WHERE b NOT IN (SELECT b FROM t WHERE b IS NOT NULL)) AS others
FROM (VALUES (1), (2), (NULL)) AS s(a)
WHERE a IN (SELECT b FROM t WHERE b = 1) OR (a NOT IN (SELECT b FROM t)) IS NOT NULL
