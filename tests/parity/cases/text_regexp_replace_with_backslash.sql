-- tables: words
-- refused: regexp_replace
SELECT id, regexp_replace(text, 'a', '\\$') AS b FROM words
