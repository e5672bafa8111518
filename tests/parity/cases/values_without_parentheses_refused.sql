-- refused: a row of VALUES stands without parentheses
SELECT sum(a) AS a FROM (VALUES 1, 2 AS t(a))
