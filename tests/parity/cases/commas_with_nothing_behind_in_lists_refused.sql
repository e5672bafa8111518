-- refused: a comma with nothing after it
-- fails: PARSE_SYNTAX_ERROR
SELECT 1 IN (1, 2,) AS a
