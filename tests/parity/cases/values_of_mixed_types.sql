SELECT a, b, a + 1 AS c FROM (VALUES (1, 1.5), (2.25, 2), (NULL, 1e1)) AS t(a, b)
