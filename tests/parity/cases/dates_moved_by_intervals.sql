-- tables: typed
SELECT id, day + INTERVAL 1 DAY AS a, day - INTERVAL 1 MONTH AS b, day + INTERVAL 1 YEAR AS c, INTERVAL 2 WEEK + day AS d,
  day + INTERVAL 5 HOUR AS e, moment + INTERVAL 1 MONTH AS f, day + 1 AS g, tiny + day AS h, day - whole % 7 AS i,
  (day + INTERVAL 1 DAY) = DATE '2013-02-01' AS j, CAST(day + INTERVAL 1 DAY AS STRING) AS k
FROM typed
