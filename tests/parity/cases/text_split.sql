-- tables: words
SELECT id, split(text, ' ')[0] AS first, size(split(text, '[,;]')) AS parts, substring_index(text, ' ', 1) AS before FROM words
