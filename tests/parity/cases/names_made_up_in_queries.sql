-- tables: typed
WITH c AS (SELECT flag, count(*), max(tiny) FROM typed GROUP BY flag)
SELECT `count(1)`, `max(tiny)` + 1, d.*, upper('x')
FROM c JOIN (SELECT count(id), 1 + 1 FROM typed UNION ALL SELECT 7, 2) d ON `count(1)` < `count(id)`
