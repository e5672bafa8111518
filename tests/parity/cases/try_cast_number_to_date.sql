-- tables: typed
-- refused: is cast to
-- fails: DATATYPE_MISMATCH
SELECT TRY_CAST(whole AS DATE) AS a FROM typed
