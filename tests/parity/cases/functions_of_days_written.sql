SELECT id, date_format(d, 'yyyy-MM-dd') AS c1,
       date_format(t, 'dd/MM/yy HH:mm:ss') AS c2,
       date_format(t, 'EEEE MMMM d') AS c3,
       date_format(t, 'E MMM dd yyyy h:mm a') AS c4,
       date_format(t, 'yyyy-MM-dd''T''HH:mm:ss.SSS') AS c5,
       date_format(t, 'D') AS c6,
       date_format(t, 'S') AS c7,
       date_format(t, 'k K hh') AS c8,
       date_format(t, 'Q QQ QQQ') AS c9,
       date_format(s, 'y/M/d H:m:s') AS c10,
       from_unixtime(id, 'HH:mm:ss') AS c11,
       unix_timestamp('2013-07-04', 'yyyy-MM-dd') AS c12,
       unix_timestamp('2013-07-04 01:02:03') AS c13
FROM (VALUES
  (1, DATE'2013-07-04', TIMESTAMP_NTZ'2013-07-04 01:02:03.5', '2013-07-04'),
  (2, DATE'1969-12-31', TIMESTAMP_NTZ'1969-12-31 23:59:59.999999', '2012-02-29 11:00:00'), (3, NULL, NULL, NULL),
  (4, DATE'2000-02-29', TIMESTAMP_NTZ'2000-02-29 12:00:00', '2000-01-31'),
  (5, DATE'1900-01-01', TIMESTAMP_NTZ'1900-01-01 00:00:00', '1970-01-01'),
  (6, DATE'2020-12-31', TIMESTAMP_NTZ'2020-12-31 23:00:00', '2020-12-28')) AS t(id, d, t, s)
