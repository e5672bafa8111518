-- ordered
WITH t AS (SELECT * FROM VALUES (1, 2), (2, NULL), (NULL, 3), (3, 1) AS v(a, b)), u AS (SELECT * FROM VALUES (1), (NULL) AS v(c))
SELECT * FROM (SELECT t.a, (SELECT max(c) FROM u WHERE c = t.a) AS m, c FROM t JOIN u ON t.a = (SELECT max(w.c) FROM u AS w) AND EXISTS (SELECT 1 FROM u AS x WHERE x.c = t.a)
               ORDER BY m + 1, (SELECT max(c) FROM u), c NULLS LAST) AS o
