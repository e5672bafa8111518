-- tables: words
SELECT id, substring(text FROM 2 FOR 3) AS part, trim(LEADING 'S' FROM text) AS l, trim(TRAILING 'd' FROM text) AS t, split_part(text, ' ', 2) AS second, btrim(text) AS b FROM words
