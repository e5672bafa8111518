-- tables: words
SELECT id, regexp_replace(text, 'a', '\\$') AS b FROM words
