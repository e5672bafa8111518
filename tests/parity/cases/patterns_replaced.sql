SELECT id, regexp_replace(s, '(b)', '[$1]') AS c1,
       regexp_replace(s, 'b', r'\$') AS c2,
       regexp_replace(s, 'x*', '-') AS c3,
       regexp_replace(s, '', '-') AS c4,
       regexp_replace(s, '(a)(b)', '$2$1') AS c5,
       regexp_replace(s, '(b)', '$10') AS c6,
       regexp_replace(s, 'b', NULL) AS c7,
       regexp_replace(s, '^a', 'x', 1) AS c8,
       regexp_extract(s, '(b)(c)?', 2) AS c9,
       regexp_extract(s, '(z)', 1) AS c10
FROM (VALUES (1, 'abcabc'), (2, ''), (3, NULL), (4, 'éb')) AS t(id, s)
