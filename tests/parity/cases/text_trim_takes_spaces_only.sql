-- tables: words
SELECT id, concat('[', trim(text), ']') AS both, concat('[', ltrim(text), ']') AS l, concat('[', rtrim(text), ']') AS r, trim(BOTH 'a' FROM text) AS letters,
       concat('[', trim(concat(chr(9), text, ' ')), ']') AS tab FROM words
