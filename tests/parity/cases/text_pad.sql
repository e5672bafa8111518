-- tables: words
SELECT id, lpad(text, 5, '*') AS l, rpad(text, 5, 'xy') AS r, lpad(text, 3) AS spaces, lpad(text, 0, 'x') AS none, repeat(other, 2) AS twice FROM words
