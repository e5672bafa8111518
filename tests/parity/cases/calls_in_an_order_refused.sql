-- refused: ORDER BY inside a call
-- fails: PARSE_SYNTAX_ERROR
SELECT sum(a ORDER BY b) AS a FROM VALUES (1, 2) AS t(a, b)
