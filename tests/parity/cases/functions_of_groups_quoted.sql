SELECT g, any(i > 2) AS c1,
       some(i > 100) AS c2,
       listagg(g, ',') AS c3,
       string_agg(g, '|') AS c4,
       percentile_disc(0.5) WITHIN GROUP (ORDER BY x) AS c5,
       percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS c6,
       round(stddev_samp(x), 9) AS c7,
       round(stddev(x), 9) AS c8,
       round(var_samp(x), 9) AS c9
FROM (VALUES
  ('a', 1, 2.0D, 1L), ('a', 2, NULL, NULL), ('b', NULL, 5.0D, 7L), ('a', 4, 1.0D, 2L), ('b', 3, 9.5D, 2L),
  ('c', NULL, NULL, NULL), ('a', 9, 2.5D, 4L)) AS t(g, i, x, n) GROUP BY g
