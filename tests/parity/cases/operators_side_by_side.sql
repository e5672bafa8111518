SELECT 1 | 2 & 4 AS a, ~ 1 + 1 AS b, ! 2 = 3 AS c, 'abc' RLIKE 'a' || 'b' AS d, - 2 ^ 2 AS e,
  1 + 1 << 2 AS f, 6 & 3 = 2 AS g, 5 | 2 ^ 3 AS h, NOT 1 = 2 AND 2 = 2 AS i, 7 - 2 - 1 AS j,
  12 DIV 5 * 2 AS k, 17 % 5 * 2 AS l, 2 * 3 || '4' AS m,
  1 BETWEEN 0 AND 1 + 1 AND true AS o, 3 = 3 = true AS p, 1 < 2 = true AS q,
  1 = 2 IS NULL AS r, 'ab' LIKE 'a' || '%' AS s, -2::string AS t, -(2)::int AS u,
  NULL <=> 1 = false AS v, 1 IS DISTINCT FROM 1 + 0 AS w, 3 !> 4 AS x, 3 !< 4 AS y, 3 == 3 AS z
