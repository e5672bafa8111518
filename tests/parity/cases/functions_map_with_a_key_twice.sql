-- fails: key|KEY
SELECT map_concat(map('a', n), map('a', 2))['a'] AS e FROM (VALUES (1)) AS t(n)
