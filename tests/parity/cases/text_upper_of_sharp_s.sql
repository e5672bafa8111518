-- tables: words
SELECT id, upper(text) AS u, lower(text) AS l FROM words WHERE id = 5
