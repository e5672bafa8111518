-- tables: typed
SELECT id, row_number() OVER (ORDER BY id), rank() OVER (PARTITION BY flag ORDER BY id DESC), dense_rank() OVER (ORDER BY id),
       percent_rank() OVER (ORDER BY id), ntile(2) OVER (ORDER BY id), sum(whole) OVER (), sum(tiny) OVER (PARTITION BY flag),
       count(*) OVER (ORDER BY id), sum(tiny) OVER (ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW),
       sum(tiny) OVER (ORDER BY id NULLS LAST ROWS BETWEEN UNBOUNDED PRECEDING AND 2 FOLLOWING), lag(tiny) OVER (ORDER BY id),
       lead(tiny, 2, 0) OVER (ORDER BY id), first_value(id) OVER (ORDER BY id), nth_value(id, 2) OVER w
FROM typed WINDOW w AS (PARTITION BY flag ORDER BY id)
