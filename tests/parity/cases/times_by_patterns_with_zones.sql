SELECT s, date_format(t, 'yyyy-MM-dd\'T\'HH:mm:ss.SSSXXX') AS a, date_format(t, 'X x xx xxx Z ZZZZZ z zzzz O VV') AS b,
  date_format(t, 'LLL LLLL qqqq F E') AS c, try_to_timestamp(s, 'yyyy-MM-dd\'T\'HH:mm:ssXXX') AS d, try_to_timestamp(s, 'yyyy-MM-dd\'T\'HH:mm:ssX') AS e,
  try_to_timestamp(s, 'yyyy-MM-dd\'T\'HH:mm:ssZ') AS f, try_to_timestamp(s, 'yyyy-MM-dd\'T\'HH:mm:ssxxx') AS g
FROM VALUES ('2013-07-04T10:11:12Z', TIMESTAMP '2013-07-04 10:11:12.5'), ('2013-07-04T10:11:12+02:00', TIMESTAMP '1969-12-31 23:59:59'),
  ('2013-07-04T10:11:12-0530', TIMESTAMP '2000-02-29 00:00:00'), ('2013-07-04T10:11:12+02', NULL), ('2013-07-04T10:11:12+19:00', NULL) AS t(s, t)
