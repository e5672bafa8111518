-- tables: typed
-- refused: months and days
-- fails: DATATYPE_MISMATCH|month
SELECT moment + (INTERVAL 1 MONTH + INTERVAL 1 DAY) AS a FROM typed
