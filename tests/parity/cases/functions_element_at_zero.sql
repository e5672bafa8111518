-- fails: 0|ZERO
SELECT element_at(split(s, ','), 0) AS e FROM (VALUES ('a,b')) AS t(s)
