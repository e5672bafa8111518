-- refused: the length MAX of a type
-- fails: PARSE_SYNTAX_ERROR
SELECT CAST('a' AS VARCHAR(MAX)) AS a
