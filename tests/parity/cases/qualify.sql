WITH t AS (SELECT * FROM VALUES (1, 1), (1, 2), (2, 3) AS v(a, b))
SELECT a, b, 'call' AS kind FROM t QUALIFY row_number() OVER (PARTITION BY a ORDER BY b) = 1
UNION ALL SELECT a, n, 'name' FROM (SELECT a, b, row_number() OVER (PARTITION BY a ORDER BY b DESC) AS n FROM t WHERE b > 0 QUALIFY n = 1 AND b > 1) AS q
UNION ALL SELECT a, s, 'groups' FROM (SELECT a, sum(b) AS s FROM t GROUP BY a HAVING sum(b) > 0 QUALIFY rank() OVER (ORDER BY a) = 1) AS q
UNION ALL SELECT *, 'flags' FROM VALUES (1, 2) AS w(a, b) QUALIFY any(a > b) OVER () OR every(a < b) OVER (ORDER BY a)
