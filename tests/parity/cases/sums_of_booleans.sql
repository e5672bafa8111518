-- tables: typed
-- refused: sum() is given boolean
-- fails: sum|UNEXPECTED_INPUT_TYPE
SELECT sum(flag) AS n FROM typed
