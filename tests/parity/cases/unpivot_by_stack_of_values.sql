SELECT * FROM VALUES (1, 'a'), (2, NULL), (NULL, 'c') AS t(number, letter)
