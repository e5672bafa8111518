-- refused: * EXCLUDE
-- fails: PARSE_SYNTAX_ERROR
SELECT * EXCLUDE (a) FROM VALUES (1, 2) AS t(a, b)
