-- tables: typed
-- refused: is cast to
-- fails: DATATYPE_MISMATCH
SELECT TRY_CAST(flag AS TIMESTAMP) AS a FROM typed
