-- refused: a row of VALUES has no parentheses
SELECT sum(a) AS a FROM (VALUES 1, 2 AS t(a))
