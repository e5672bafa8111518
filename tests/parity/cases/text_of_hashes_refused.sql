-- tables: words
-- refused: sha2
SELECT id, sha2(text, 256) AS t FROM words
