-- tables: words
SELECT id, sha2(text, 256) AS t FROM words
