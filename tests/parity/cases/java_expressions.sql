-- tables: words
SELECT id, regexp_extract(text, '(?<=a)a', 0) AS behind FROM words
