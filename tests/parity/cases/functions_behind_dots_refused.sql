-- refused: a function after a dot
-- fails: UNRESOLVED_ROUTINE
SELECT a.upper() AS a FROM VALUES ('a') AS t(a)
