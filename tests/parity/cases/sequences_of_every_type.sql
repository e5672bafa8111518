SELECT typeof(sequence(CAST(1 AS TINYINT), CAST(3 AS TINYINT))) AS c1, typeof(sequence(1, 3)) AS c2, typeof(sequence(1, 3, 1L)) AS c3,
       CAST(sequence(i, i + 4, 2) AS STRING) AS c4, CAST(sequence(i, i - 2) AS STRING) AS c5,
       CAST(sequence(d, d + 8, INTERVAL 3 DAYS) AS STRING) AS c6, CAST(sequence(d + 8, d, INTERVAL -3 DAYS) AS STRING) AS c7,
       CAST(sequence(d + 30, DATE'2013-05-31', INTERVAL 1 MONTH) AS STRING) AS c8,
       CAST(sequence(d, DATE'2016-01-01', INTERVAL 1 YEAR) AS STRING) AS c9,
       CAST(sequence(t, t + INTERVAL 1 HOUR, INTERVAL 20 MINUTES) AS STRING) AS c10,
       CAST(sequence(t, TIMESTAMP_NTZ'2013-01-03 00:00:00') AS STRING) AS c11,
       CAST(sequence(t, TIMESTAMP_NTZ'2012-11-01 00:00:00', INTERVAL -1 MONTH) AS STRING) AS c12,
       typeof(sequence(d, t)) AS c13, sequence(i, NULL) IS NULL AS c14, sequence(1, 1, 0)[0] + 2 AS c15
FROM VALUES (1, DATE'2013-01-01', TIMESTAMP_NTZ'2013-01-01 00:00:00') AS v(i, d, t)
