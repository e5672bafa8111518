-- tables: words
SELECT id, regexp_extract(text, '([A-Za-z]+)', 1) AS word, regexp_extract(text, '([0-9]+)-([0-9]+)', 2) AS month, regexp_extract(text, '([0-9]+)') AS digits,
       regexp_extract(text, '[a-z]+', 0) AS whole FROM words
