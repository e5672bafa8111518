-- tables: kinds
SELECT id, price / 7.5 AS q, whole / 3.0 AS w, small / 1000.0 AS s, price % 0.7 AS r, price * price AS p, abs(price) AS a, round(price, 1) AS t, -price AS n, price > 1 AS more FROM kinds
