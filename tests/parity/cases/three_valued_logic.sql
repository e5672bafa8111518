-- tables: cells
SELECT id, flag AND NULL AS a, flag OR NULL AS b, NOT flag AS c, flag AND id > 1 AS d, flag IS TRUE AS e, flag IS NOT FALSE AS f, flag = (id = 1) AS g, flag OR id > 3 AS h FROM cells
