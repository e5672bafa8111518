-- tables: typed
SELECT flag, sum(whole) AS s, avg(tiny) / 2 AS half, s + 1 AS more, half * 2 AS twice, sum(long) % 7 AS rest,
       element_at(collect_list(id), 1) IS NULL AS none
FROM typed WHERE id < 3 GROUP BY flag HAVING s > 2 AND half IS NOT NULL AND rest >= 0 ORDER BY s / 2, half
