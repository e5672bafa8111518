-- tables: typed
-- refused: "*" is given interval
SELECT moment + INTERVAL 1 MONTH * 1.5 AS a FROM typed
