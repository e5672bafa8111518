-- tables: words
SELECT id, instr(text, 'a') AS first, locate('a', text) AS located, locate('a', text, 2) AS later, position('S' IN text) AS s, instr(text, other) AS other, length(text) AS n,
       char_length(text) AS c FROM words
