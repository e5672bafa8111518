SELECT id, overlay(s, '_', p) AS c1,
       overlay(s PLACING 'CORE' FROM p) AS c2,
       overlay(s, 'é', p, 2) AS c3,
       overlay(s PLACING '' FROM p FOR 0) AS c4,
       overlay(s, 'XY', p, -1) AS c5,
       character_length(s) AS c6
FROM (VALUES (1, 'Spark SQL', 6), (2, 'héllo', -2), (3, '', 1), (4, NULL, 1), (5, 'abc', 0), (6, 'abc', 9)) AS t(id, s, p)
