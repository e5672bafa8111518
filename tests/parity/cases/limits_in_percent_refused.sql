-- refused: LIMIT in percent
-- fails: PARSE_SYNTAX_ERROR
SELECT a FROM VALUES (1) AS t(a) LIMIT 10 PERCENT
