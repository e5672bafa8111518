SELECT CAST(m AS STRING) AS m, m['a'] AS a, size(m) AS n, sum(i) AS s
FROM VALUES (map('a', 1, 'b', 2), 1), (map('b', 2, 'a', 1), 2), (map('a', 2), 4), (NULL, 8) AS t(m, i)
GROUP BY m HAVING sum(i) > 2
