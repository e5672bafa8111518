WITH t AS (SELECT * FROM VALUES (1, 2) AS v(a, b) WHERE a > 5)
SELECT 'rollup' AS kind, count(*) AS n FROM (SELECT a, count(*) AS c FROM t GROUP BY ROLLUP (a)) AS q
UNION ALL SELECT 'cube', count(*) FROM (SELECT a, count(*) AS c FROM t GROUP BY CUBE (a, b)) AS q
UNION ALL SELECT 'sets', count(*) FROM (SELECT a, count(*) AS c FROM t GROUP BY GROUPING SETS ((a), ())) AS q
UNION ALL SELECT 'empty sets', count(*) FROM (SELECT max(a) AS c FROM t GROUP BY GROUPING SETS ((), ())) AS q
UNION ALL SELECT 'one empty set', count(*) FROM (SELECT max(a) AS c FROM t GROUP BY GROUPING SETS (())) AS q
UNION ALL SELECT 'having', count(*) FROM (SELECT a FROM t GROUP BY ROLLUP (a) HAVING count(*) >= 0) AS q
UNION ALL SELECT 'none', count(*) FROM (SELECT max(a) AS c FROM t) AS q
UNION ALL SELECT typeof(sum(a)), count(*) FROM VALUES (1), (2) AS v(a)
UNION ALL SELECT typeof(max(b)), 0 FROM t
