SELECT id, ascii(chr(n)) AS c1,
       length(char(n)) AS c2,
       coalesce(nullif(chr(n), chr(0)), '-') AS c3
FROM (VALUES (1, 65L), (2, 256L), (3, 321L), (4, 0L), (5, -1L), (6, NULL), (7, 233L), (8, 955L)) AS t(id, n)
