-- tables: words
SELECT id, size(split(text, 'a')) AS n, split(text, 'a')[0] AS first, size(split(text, ' ', 2)) AS two FROM words
