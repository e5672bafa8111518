-- tables: words
SELECT id, concat(text, '-', other) AS joined, text || other AS piped, concat_ws('/', text, other, 'end') AS with_separator, concat(id, '') AS number FROM words
