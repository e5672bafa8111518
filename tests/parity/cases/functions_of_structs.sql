SELECT max(struct(i, n)).i AS m FROM (VALUES (1, 2L), (NULL, 3L)) AS t(i, n)
