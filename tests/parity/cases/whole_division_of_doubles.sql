-- tables: typed
-- refused: div is given double
-- fails: div|BINARY_OP_DIFF_TYPES
SELECT real div 1 AS x FROM typed
