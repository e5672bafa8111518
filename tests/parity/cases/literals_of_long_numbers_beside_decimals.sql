-- tables: typed
SELECT id, price / 3L AS a, price * -03S AS b, price + 0L AS c, price / CAST('3' AS BIGINT) AS d, price % 100l AS e,
  price / 3Y AS f, price = 3S AS g, coalesce(price, 3L) AS h, -9223372036854775808L AS i, whole * 2S AS j
FROM typed
