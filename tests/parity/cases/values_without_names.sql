SELECT col1 + 1 AS a, t.col2 AS b FROM (VALUES (1, 5), (3, 7)) t ORDER BY a
