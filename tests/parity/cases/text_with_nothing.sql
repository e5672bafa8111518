-- tables: words
SELECT id, repeat(other, 0) AS none, repeat(other, -1) AS less, instr(text, '') AS i, locate('', other) AS l, replace(text, '', 'x') AS r, left(text, 0) AS z, lpad(text, 7, 'xyz') AS p, lpad(text, 7, '') AS e,
       substring(text, 3, 0) AS s, ascii('') AS a FROM words
