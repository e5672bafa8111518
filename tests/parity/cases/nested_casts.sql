SELECT CAST(CAST(d AS ARRAY<INT>) AS STRING) AS c1, CAST(CAST(d AS ARRAY<STRING>) AS STRING) AS c2,
       CAST(CAST(f AS ARRAY<BIGINT>) AS STRING) AS c3, CAST(CAST(f AS ARRAY<STRING>) AS STRING) AS c4,
       CAST(TRY_CAST(s AS ARRAY<INT>) AS STRING) AS c5, CAST(TRY_CAST(s AS ARRAY<DOUBLE>) AS STRING) AS c6,
       CAST(TRY_CAST(s AS ARRAY<DATE>) AS STRING) AS c7, CAST(TRY_CAST(s AS ARRAY<DECIMAL(3,1)>) AS STRING) AS c8,
       CAST(CAST(named_struct('a', d, 'b', f[0]) AS STRUCT<x: ARRAY<TINYINT>, y: INT>) AS STRING) AS c9,
       typeof(CAST(named_struct('a', d, 'b', f[0]) AS STRUCT<x: ARRAY<TINYINT>, y: INT>)) AS c10,
       CAST(CAST(map('1', d[0]) AS MAP<INT, INT>) AS STRING) AS c11, CAST(named_struct('p', s, 'q', map(d[0], f)) AS STRING) AS c12,
       CAST(array(t, NULL) AS STRING) AS c13, CAST(map('t', t, 'u', NULL) AS STRING) AS c14, string(array(array(), array(''))) AS c15,
       CAST(array(X'61', X'') AS STRING) AS c16, CAST(named_struct('d', DATE'2013-07-04', 'n', NULL) AS STRING) AS c17
FROM VALUES (array(1.5, -2.5, NULL), array(2.5D, -1e10D), array('1', ' 7 ', 'x', '', NULL, '2013-07-04', '1.25'),
             TIMESTAMP_NTZ'2013-07-04 01:02:03'), (NULL, array(double('NaN')), array(), NULL) AS v(d, f, s, t) WHERE d IS NOT NULL
