-- refused: FILTER without WHERE
-- fails: PARSE_SYNTAX_ERROR
SELECT count(*) FILTER (a > 1) AS n FROM VALUES (1) AS t(a)
