SELECT s, try_to_number(s, '999') AS a, try_to_number(s, '000.00') AS b, try_to_number(s, '9,999.99') AS c, try_to_number(s, '99,999.9S') AS d,
  try_to_number(s, '$99.99') AS e, try_to_number(s, 'S999') AS f, try_to_number(s, '999MI') AS g, try_to_number(s, '999PR') AS h,
  to_number('12,454.8-', '99,999.9S') AS i, try_to_number(s, '9,9,9') AS j
FROM VALUES ('454'), ('454.00'), ('12,454'), ('$78.12'), ('-5'), ('5-'), ('+5'), ('<5>'), (' 54'), ('0.5'), ('.5'), ('1234'), ('a'), (''), ('12454.8-'), ('1,2454'), ('5 '), (NULL) AS t(s)
