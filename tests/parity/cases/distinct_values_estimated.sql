SELECT k % 3 AS g, approx_count_distinct(k) AS c1, approx_count_distinct(k % 50) AS c2, approx_count_distinct(CAST(k AS STRING)) AS c3,
       approx_count_distinct(CASE WHEN k > 1000 THEN k END) AS c4, approx_count_distinct(k * 1.5D) FILTER (WHERE k < 0) AS c5
FROM (SELECT explode(sequence(1, 4000)) AS k) GROUP BY k % 3
