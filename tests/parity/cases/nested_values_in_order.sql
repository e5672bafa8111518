-- ordered
SELECT i, CAST(s AS STRING) AS s, CAST(l AS STRING) AS l, rank() OVER (ORDER BY l) AS r,
       CAST(max(l) OVER (PARTITION BY i % 2) AS STRING) AS m
FROM VALUES (1, named_struct('a', 1, 'b', NULL), array(1, NULL)), (2, named_struct('a', 1, 'b', 'x'), array(1, 2)),
            (3, NULL, NULL), (4, named_struct('a', NULL, 'b', 'x'), array(NULL)), (5, named_struct('a', 2, 'b', ''), array())
            AS t(i, s, l)
ORDER BY s DESC, l
