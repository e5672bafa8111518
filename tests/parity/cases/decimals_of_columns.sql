-- tables: typed
SELECT id, price / 3 AS third, 1 / price AS inverse, price * share AS product, price + share AS total,
  price - 1 AS less, price % 2 AS rest, wide / price AS ratio, wide * price AS wide_product, -share AS turned,
  abs(price) AS size, pmod(price, 7) AS positive, price div share AS whole
FROM typed
