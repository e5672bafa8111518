-- fails: a query in ON names|UNSUPPORTED_CORRELATED_SCALAR_SUBQUERY
WITH t AS (SELECT * FROM VALUES (1, 2), (2, NULL), (NULL, 3), (3, 1) AS v(a, b)), u AS (SELECT * FROM VALUES (1), (NULL) AS v(c))
SELECT t.a FROM t JOIN u ON t.a = (SELECT max(c) FROM u AS w WHERE w.c = t.a)
