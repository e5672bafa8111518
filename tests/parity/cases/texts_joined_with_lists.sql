SELECT k, concat_ws(',', sort_array(collect_list(s))) AS c1, concat_ws('-', collect_set(k), 'x') AS c2,
       concat_ws(max(s), split('1;2', ';'), array(NULL, 'b'), CAST(NULL AS STRING)) AS c3,
       concat_ws(',', array(1, NULL, 2), array(true), array(1.50, 2.5)) AS c4, concat_ws(',') AS c5,
       concat_ws(NULL, 'a') AS c6, concat_ws(1, 2, 3.5) AS c7, concat_ws(',', array(), array(DATE'2020-01-01')) AS c8
FROM (VALUES (1, 'b'), (1, 'a'), (1, NULL), (2, NULL)) AS t(k, s) GROUP BY k
