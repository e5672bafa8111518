SELECT sum(a) AS a FROM (VALUES 1, 2 AS t(a))
