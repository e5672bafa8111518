-- tables: typed
SELECT id, price + tiny AS a, price * whole AS b, price / long AS c, price + real AS d, share * single AS e,
  price + digits AS f, price > whole AS g, price = 1.5 AS h, price IN (1, 3) AS i, coalesce(price, whole) AS j,
  CASE WHEN flag THEN share ELSE 1 END AS k, greatest(price, share) AS l, if(flag, price, real) AS m
FROM typed
