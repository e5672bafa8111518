-- tables: typed
-- refused: difference of two dates
SELECT id FROM typed WHERE day - DATE '2013-01-01' > INTERVAL 3 DAY
