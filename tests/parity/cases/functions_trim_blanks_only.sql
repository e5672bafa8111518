SELECT id, '|' || trim(s) || '|' AS c1,
       ltrim(s) AS c2,
       rtrim(s) AS c3,
       btrim(s) AS c4,
       btrim(s, 'xb ') AS c5,
       length(trim(s)) AS c6
FROM (VALUES
  (1, 'ΟΔΟΣ ΑΣ'), (2, 'ﬁne ẞß ŉ'), (3, 'İstanbul ıI'), (4, 'e\u0301a 😀b'), (5, ''), (6, NULL), (7, '\u00a0x\t '), (8, 'o''brien-SMITH  y'), (9, 'ǆungla ΣΑΣ'), (10, 'a,b,,c')) AS t(id, s)
