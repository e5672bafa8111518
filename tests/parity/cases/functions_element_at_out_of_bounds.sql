-- fails: index|INDEX
SELECT element_at(split(s, ','), 3) AS e FROM (VALUES ('a,b')) AS t(s)
