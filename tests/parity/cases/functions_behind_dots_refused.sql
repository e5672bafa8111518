-- refused: a function behind a dot
-- fails: UNRESOLVED_ROUTINE
SELECT a.upper() AS a FROM VALUES ('a') AS t(a)
