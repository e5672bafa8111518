-- refused: ^
SELECT 6 ^ 3 AS x
