-- tables: typed
SELECT id, price / -3 AS a, price / - 3 AS b, price / -(3) AS c, price / - -3 AS d, price / (-(-(3))) AS e, price / +3 AS f,
  price * -(3) AS g, price + -((3)) AS h, price % -(3) AS i, (CASE WHEN price <= 1.5 THEN long ELSE 1.25 END / (- -3)) AS j,
  price / -(1.5) AS k, round(price, -(1)) AS l, round(price, - -1) AS m, -(2147483648) AS n, -(-9223372036854775807) AS o
FROM typed
