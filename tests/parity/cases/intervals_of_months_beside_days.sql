-- tables: typed
SELECT id, day - INTERVAL 30 DAY AS a, day - INTERVAL 1 MONTH AS b, moment + INTERVAL 1 MONTH AS c, moment + INTERVAL 30 DAY AS d,
  moment + INTERVAL 720 HOUR AS e, add_months(day, -1) AS f, INTERVAL 360 DAY + day AS g, INTERVAL 1 YEAR + day AS h,
  moment - INTERVAL 1 YEAR 2 MONTHS AS i, moment + INTERVAL 1 MONTH * 2 AS j, moment - INTERVAL -3 MONTHS AS k,
  last_day(day - INTERVAL 30 DAY) AS l, last_day(day - INTERVAL 1 MONTH) AS m
FROM typed
WHERE coalesce(moment - INTERVAL 1 MONTH <= moment - INTERVAL 28 DAY, TRUE)
