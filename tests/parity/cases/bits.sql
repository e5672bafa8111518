SELECT 6 & 3 AS a, 6 | 3 AS o, 6 ^ 3 AS x, ~6 AS n, shiftleft(1, 4) AS sl, shiftright(-16, 2) AS sr, bit_count(7) AS b
