-- tables: rides, rides_parquet
-- ordered
SELECT r.day, r.n + 1 AS next, count(*) AS rows, sum(p.fare) AS fares, max(r.city) AS city
FROM rides r JOIN rides_parquet p ON r.id + 100 = p.id AND r.day = p.day AND r.n = p.n
WHERE r.n < 100 AND r.day >= DATE '2001-01-01'
GROUP BY r.day, r.n
ORDER BY r.day, next
