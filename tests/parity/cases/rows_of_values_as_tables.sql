-- tables: numbers
SELECT col1 AS a, col2 AS b FROM VALUES (1, 'a'), (2, 'b')
UNION ALL SELECT x, '1 column' FROM VALUES 1, 1 + 1, abs(-3) AS t(x)
UNION ALL SELECT x, y FROM VALUES 1, 2 AS t(x) JOIN VALUES (2, 'joined') u(z, y) ON x = z
UNION ALL SELECT x, 'crossed' FROM VALUES (7) AS t(x) JOIN VALUES (1), (2) u
UNION ALL SELECT col1, 'no alias' FROM (VALUES 5, 6)
UNION ALL SELECT x, 'enclosed' FROM (VALUES (8) AS t(x))
UNION ALL SELECT s.x, 'comma' FROM VALUES (1), (2) AS s(x), VALUES (1) AS l(k) RIGHT JOIN VALUES (1), (3) AS r(j) ON k = j
UNION ALL SELECT id, 'of a table' FROM (TABLE numbers) WHERE id = 1
UNION ALL (VALUES (9, 'as a query') AS t(a, b))
