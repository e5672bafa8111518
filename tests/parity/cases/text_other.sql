-- tables: words
SELECT id, reverse(text) AS r, ascii(text) AS a, md5(text) AS m, coalesce(nullif(text, ''), 'none') AS filled, char(65) AS c, levenshtein(text, other) AS distance FROM words
