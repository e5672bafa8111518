SELECT id, array_join(split(s, ','), '|') AS c1,
       array_join(split(s, ',', -1), '|') AS c2,
       array_join(split(s, ',', 0), '|') AS c3,
       array_join(split(s, ',', 2), '|') AS c4,
       array_join(split(s, ''), '|') AS c5,
       array_join(split(s, '', 2), '|') AS c6,
       array_join(split(s, '(?=b)'), '|') AS c7,
       array_join(split(s, ',', 1), '|') AS c8,
       size(split(s, '[,b]+')) AS c9
FROM (VALUES (1, 'a,b,,'), (2, ''), (3, NULL), (4, ',a'), (5, 'abc')) AS t(id, s)
