-- tables: typed
-- refused: count(DISTINCT ...) OVER
-- fails: distinct
SELECT count(DISTINCT tiny) OVER () AS n FROM typed
