-- refused: bit_count
-- fails: DATATYPE_MISMATCH
SELECT bit_count('a') AS a
