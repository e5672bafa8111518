SELECT make_timestamp(2013, 7, 4, 10, 11, 12.345678) AS a, make_timestamp(2013, 7, 4, 10, 11, 60) AS b, try_make_timestamp(2013, 7, 4, 10, 11, 60.5) AS c,
  make_timestamp(2013, 7, 4, 10, 11, 12, 'America/New_York') AS d, try_make_timestamp(2013, 13, 4, 10, 11, 1) AS e, make_timestamp_ntz(2013, 7, 4, 10, 11, '12.5') AS f,
  try_to_timestamp('2013-07-04 186', 'yyyy-MM-dd DDD') AS g, to_timestamp('2013-07-04 185', 'yyyy-MM-dd DDD') AS h,
  extract(QTR FROM DATE '2013-07-04') AS i, date_part('MINS', TIMESTAMP '2013-07-04 10:11:12') AS j, extract(S FROM TIMESTAMP '2013-07-04 10:11:12.5') AS k,
  extract(HOUR FROM DATE '2013-07-04') AS l, extract(YEAR FROM '2013-07-04') AS m
