-- fails: sequence
SELECT size(sequence(1, n, -1)) AS e FROM (VALUES (5)) AS t(n)
