-- tables: typed
SELECT id, sum(price) OVER (ORDER BY id) AS running, avg(price) OVER (PARTITION BY flag) AS mean,
  lag(price, 1, 0) OVER (ORDER BY id) AS before, sum(whole) OVER (ORDER BY id) AS wholes,
  row_number() OVER (ORDER BY id) * 2 AS twice
FROM typed
