-- tables: words
SELECT id, upper(text) AS u, lower(text) AS l, initcap(text) AS i, ucase(other) AS uc FROM words WHERE id <> 5
