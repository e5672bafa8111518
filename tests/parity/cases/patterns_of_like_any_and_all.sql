SELECT s, s LIKE ANY ('a%', p) AS c1, s LIKE ALL ('a%', p) AS c2, s NOT LIKE ANY ('a%', p) AS c3,
       s NOT LIKE ALL ('a%', p) AS c4, s LIKE SOME ('%c') AS c5, s ILIKE ANY ('A%', p) AS c6, s ILIKE ALL ('A%', p) AS c7,
       s NOT ILIKE ALL ('A%', p) AS c8, NOT s LIKE ANY ('a\\_b', 'x') AS c9, s || 'c' LIKE ANY ('%bc') AND s IS NOT NULL AS c10
FROM (VALUES ('abc', 'x'), ('x', 'x'), ('a_b', NULL), (NULL, 'a')) AS t(s, p)
