-- tables: typed
SELECT id, CASE WHEN flag THEN whole ELSE '5' END AS a, coalesce(day, '2013-01-01') AS b, coalesce(day, moment) AS c,
  nullif(whole, '3') AS d, nvl(tiny, 1.5) AS e, if(flag, 1, 2.5) AS f, whole IN (1, '3', 2.5) AS g,
  whole BETWEEN '0' AND 2.5 AS h, least(day, moment) AS i, nvl2(flag, 1, 2.5) AS j, digits > 5 AS k,
  digits = 12.0 AS l, flag = 'true' AS m, moment < '2000-01-01' AS n,
  whole IN (SELECT price FROM typed) AS o, long IN (SELECT digits FROM typed WHERE digits IS NOT NULL) AS p
FROM typed
