-- tables: words
-- refused: format_string
SELECT id, format_string('%03d-%s', id, other) AS text FROM words
