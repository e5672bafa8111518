SELECT 6 & 3 AS a, 6 | 3 AS o, bit_count(7) AS b
