-- tables: words
SELECT id, text NOT RLIKE '^a' AS b FROM words
