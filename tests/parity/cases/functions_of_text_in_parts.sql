SELECT id, split_part(s, '.', n) AS c1,
       split_part(s, '', n) AS c2,
       substring_index(s, '.', n) AS c3,
       substring_index(s, 'aa', n) AS c4,
       substring_index(s, '..', 1) AS c5,
       concat(s, '|', s) AS c6,
       concat_ws(',', s, NULL, 'x') AS c7,
       s || 'é' AS c8,
       decode(s, 'a.b.c', 'one', '', 'two', 'other') AS c9,
       decode(s, NULL, 'none') AS c10,
       elt(1, s, 'x') AS c11,
       elt(2, s, 'x') AS c12,
       str_to_map('k:1,l:2')['l'] AS c13
FROM (VALUES (1, 'a.b.c', 2), (2, 'aaaa', -1), (3, '', 1), (4, NULL, 1), (5, 'a..b', 3)) AS t(id, s, n)
