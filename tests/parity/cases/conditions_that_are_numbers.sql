-- tables: typed
-- refused: a condition is int
-- fails: DATATYPE_MISMATCH|BOOLEAN
SELECT id FROM typed WHERE whole
