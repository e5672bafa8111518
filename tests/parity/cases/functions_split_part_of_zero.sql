-- fails: zero|ZERO| 0
SELECT split_part(s, '.', 0) AS e FROM (VALUES ('a.b')) AS t(s)
