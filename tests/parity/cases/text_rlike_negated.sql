-- tables: words
-- refused: NOT RLIKE
SELECT id, text NOT RLIKE '^a' AS b FROM words
