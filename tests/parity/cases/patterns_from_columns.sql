SELECT id, s RLIKE p AS c1,
       regexp_like(s, p) AS c2,
       regexp(s, p) AS c3,
       regexp_count(s, p) AS c4,
       regexp_instr(s, p) AS c5,
       regexp_substr(s, p) AS c6,
       regexp_replace(s, p, '_') AS c7,
       regexp_replace(s, p, '_', 2) AS c8,
       size(split(s, p)) AS c9,
       split(s, p)[0] AS c10,
       array_join(regexp_extract_all(s, p, 0), '|') AS c11,
       regexp_extract(s, p, 0) AS c12
FROM (VALUES (1, 'a1b22', '[0-9]+'), (2, 'a.b', '.'), (3, 'x', NULL), (4, NULL, 'x'), (5, '', ''), (6, 'Aa', '(?i)A')) AS t(id, s, p)
