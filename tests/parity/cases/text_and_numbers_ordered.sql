-- tables: typed
-- refused: greatest() is given text and other types
-- fails: greatest
SELECT greatest(word, whole) AS x FROM typed
