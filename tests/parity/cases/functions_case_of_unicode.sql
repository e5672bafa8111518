SELECT id, upper(s) AS c1,
       lower(s) AS c2,
       ucase(s) AS c3,
       lcase(s) AS c4,
       initcap(s) AS c5,
       reverse(s) AS c6,
       length(s) AS c7,
       char_length(s) AS c8,
       len(s) AS c9,
       octet_length(s) AS c10,
       bit_length(s) AS c11,
       ascii(s) AS c12
FROM (VALUES
  (1, 'ΟΔΟΣ ΑΣ'), (2, 'ﬁne ẞß ŉ'), (3, 'İstanbul ıI'), (4, 'e\u0301a 😀b'), (5, ''), (6, NULL), (7, '\u00a0x\t '), (8, 'o''brien-SMITH  y'), (9, 'ǆungla ΣΑΣ'), (10, 'a,b,,c')) AS t(id, s)
