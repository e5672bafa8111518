-- tables: typed
SELECT id, single + 1 AS a, single * whole AS b, single + 1.5 AS c, single / 3 AS d, single * single AS e,
  single = 0.1 AS f, single < long AS g, coalesce(single, 0) AS h, if(flag, single, 2) AS i, single % 2 AS j,
  greatest(single, 1) AS k, single BETWEEN -1 AND 2.5 AS l, -single AS m, round(single, 1) AS n, sum(single) OVER () AS o
FROM typed
