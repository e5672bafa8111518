-- tables: typed
-- refused: date_add
-- fails: date_add|UNEXPECTED_INPUT_TYPE
SELECT date_add(day, long) AS d FROM typed
