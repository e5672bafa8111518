-- refused: a subscript is given string
-- fails: INVALID_EXTRACT_BASE_FIELD_TYPE
SELECT a[1] AS b FROM VALUES ('abc') AS t(a)
