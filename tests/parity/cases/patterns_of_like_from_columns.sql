SELECT id, s LIKE p AS l, s NOT LIKE p AS n, s ILIKE p AS i, like(s, p) AS f
FROM (VALUES (1, 'a%b', r'a\%b'), (2, 'axb', r'a\%b'), (3, r'a\b', r'a\\b'), (4, 'A_b', r'a\_B'), (5, 'É', 'é'), (6, 'ß', 'SS'),
             (7, '😀', '_'), (8, 'a\nb', 'a%'), (9, NULL, '%'), (10, '', '%'), (11, 'abc', NULL), (12, 'abab', '%ab')) AS t(id, s, p)
WHERE id <> 3 OR p IS NOT NULL
