-- tables: words
SELECT id, ltrim('S', text) AS l, rtrim('d', text) AS r, trim('ad', text) AS t, TRIM(LEADING 'a' FROM text) AS f, btrim(text, 'a') AS b FROM words
