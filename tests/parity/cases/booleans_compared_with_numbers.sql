-- tables: typed
-- refused: a comparison have the types boolean and int
-- fails: DATATYPE_MISMATCH|BOOLEAN
SELECT flag = 1 AS x FROM typed
