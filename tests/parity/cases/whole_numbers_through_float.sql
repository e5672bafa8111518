-- tables: numbers
-- ordered
SELECT id, CAST(big AS FLOAT) + 10 AS sum, CAST(CAST(big AS FLOAT) AS DOUBLE) AS wide, f - 1 AS below,
  CAST(small AS FLOAT) * 1.5D AS product, f = big AS same, f < d AS less, try_cast(big AS FLOAT) / 3 AS third,
  sqrt(f) AS root, coalesce(f, d) AS first, greatest(f, d) AS greater
FROM (SELECT *, CAST(big AS FLOAT) AS f, CAST(big AS DOUBLE) AS d
      FROM (SELECT id, 16777217 + id AS big, CAST(16777217 + id AS INT) AS small FROM numbers))
WHERE f + 1 > 16777217 AND CAST(big AS FLOAT) <> 16777219D
ORDER BY id
