SELECT i, k, CAST(collect_list(i) OVER (PARTITION BY k ORDER BY i) AS STRING) AS a,
       CAST(sort_array(collect_set(i) OVER (PARTITION BY k)) AS STRING) AS b,
       CAST(collect_list(i) FILTER (WHERE i > 1) OVER (PARTITION BY k ORDER BY i) AS STRING) AS c,
       CAST(array_agg(k) OVER (ORDER BY i ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS STRING) AS d
FROM VALUES (1, 1), (2, 1), (3, 2), (4, 2), (NULL, 2) AS t(i, k)
