-- tables: words
SELECT id, size(split(text, 'a')) AS n, split(text, 'a')[0] AS first FROM words
