-- tables: typed
SELECT id, datediff(MONTH, day, moment) AS a, datediff(YEAR, DATE '2012-02-29', day) AS b,
  timestampdiff(WEEK, moment, TIMESTAMP_NTZ '2013-07-04 10:00:00') AS c, date_diff(HOUR, day, moment) AS d,
  timestampdiff(MICROSECOND, day, moment) AS e, timestampdiff(QUARTER, moment, DATE '2013-07-04') AS f,
  dateadd(MONTH, 1, moment) AS g, timestampadd(QUARTER, tiny, day) AS h, date_add(HOUR, -5, moment) AS i,
  dateadd(YEAR, -1, day) AS j, timestampadd(MILLISECOND, short, moment) AS k, dateadd(day, 5) AS l, datediff(day, moment) AS m
FROM typed
