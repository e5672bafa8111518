SELECT id, CASE WHEN id = 1 THEN map('a', id) END['a'] AS chosen,
       coalesce(m, map('a', 0))['a'] AS other, element_at(if(id = 2, NULL, m), 'a') AS third,
       typeof(map('a', array(1.5D))) AS type, u.m['a'] AS united
FROM (VALUES (1), (2)) AS t(id)
JOIN (SELECT 1 AS i, map('a', 7) AS m UNION ALL SELECT 2, NULL) AS u ON u.i = t.id
