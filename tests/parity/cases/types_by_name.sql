-- tables: typed
SELECT typeof(price / 3) AS a, typeof(sum(price)) AS b, typeof(avg(share)) AS c, typeof(sum(tiny)) AS d,
  typeof(0.05) AS e, typeof(12345678901234567890) AS f, typeof(count(*)) AS g, typeof(1 / 2) AS h
FROM typed
GROUP BY price, share
