-- tables: words
SELECT id, format_string('%03d-%s', id, other) AS text, printf('%s|%5d|%-5d|%x', other, id, id, id) AS padded FROM words
