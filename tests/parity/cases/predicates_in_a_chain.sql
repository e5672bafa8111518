-- fails: after a predicate|PARSE_SYNTAX_ERROR
SELECT 1 IS NULL = false AS a
