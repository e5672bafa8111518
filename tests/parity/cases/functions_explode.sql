SELECT id, explode(split(s, ',')) AS part FROM (VALUES (1, 'a,b'), (2, NULL), (3, '')) AS t(id, s)
