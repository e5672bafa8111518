-- tables: words
SELECT id, regexp_replace(text, '[aeiou]', '*') AS stars, regexp_replace(text, '([a-z])([a-z])', '$2$1') AS swapped, replace(text, 'a', '') AS without, translate(text, 'abc', 'xy') AS translated FROM words
