-- tables: typed
SELECT id, round(price) AS a, round(price, 1) AS b, round(price, -2) AS c, bround(share, 2) AS d, floor(price) AS e,
  ceil(share) AS f, round(wide, 4) AS g, CAST(price AS INT) AS h, CAST(price AS DECIMAL(12,1)) AS i
FROM typed WHERE id < 5
