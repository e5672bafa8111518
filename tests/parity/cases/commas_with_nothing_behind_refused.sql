-- refused: a comma with nothing after it
-- fails: PARSE_SYNTAX_ERROR
SELECT a, FROM VALUES (1) AS t(a)
