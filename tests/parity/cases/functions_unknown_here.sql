-- refused: hypot
SELECT hypot(3, 4) AS five
