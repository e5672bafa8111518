-- tables: typed
SELECT k, CAST(array_distinct(array(d, 0D)) AS STRING) AS c1, CAST(array_union(array(d), array(1D)) AS STRING) AS c2,
       CAST(array_except(array(d), array(1D)) AS STRING) AS c3, CAST(array_intersect(array(0D), array(d)) AS STRING) AS c4,
       CAST(array_intersect(array(array(d)), array(array(0D))) AS STRING) AS c5,
       CAST(array_distinct(array(named_struct('a', d))) AS STRING) AS c6,
       CAST(array_union(array(CAST(d AS FLOAT)), array(CAST(d AS FLOAT))) AS STRING) AS c7,
       array_repeat(2, 2) < n AS c8, n > array(1) AS c9, n <= array(2, 3) AS c10, n >= array() AS c11,
       CAST((SELECT collect_set(x) FROM VALUES (-0.0D), (0.0D) AS s(x)) AS STRING) AS c12
FROM VALUES (1, -0.0D, array(2, 3)), (2, 1.5D, NULL), (3, NULL, array(NULL)) AS t(k, d, n)
