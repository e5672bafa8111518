-- fails: index|INDEX
SELECT elt(n, 'a', 'b') AS e FROM (VALUES (3)) AS t(n)
