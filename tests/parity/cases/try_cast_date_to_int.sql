-- tables: typed
-- refused: is cast to
-- fails: DATATYPE_MISMATCH
SELECT TRY_CAST(day AS INT) AS a FROM typed
