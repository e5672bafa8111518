SELECT CAST(g AS STRING) AS g, count(*) AS n
FROM (SELECT named_struct('m', array(m)) AS g FROM VALUES (map('a', 1, 'b', 2)), (map('b', 2, 'a', 1)) AS t(m)) GROUP BY g
