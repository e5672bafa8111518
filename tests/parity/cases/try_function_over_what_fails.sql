-- fails: CAST_INVALID_INPUT|not a whole number
SELECT try_add(CAST(s AS INT), 1) AS a FROM VALUES ('a') AS t(s)
