-- tables: words
-- refused: soundex
SELECT id, soundex(text) AS s FROM words
