-- tables: typed
SELECT percentile_disc(0.5) WITHIN GROUP (ORDER BY whole) AS a, percentile_cont(0.5) WITHIN GROUP (ORDER BY price) AS b,
  percentile_disc(0.5) WITHIN GROUP (ORDER BY price DESC) AS c, percentile(price, 0.25) AS d,
  percentile_cont(0.25) WITHIN GROUP (ORDER BY share) AS f, try_avg(price) AS i, try_sum(long * 1L) IS NULL AS j
FROM typed
