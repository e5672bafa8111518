-- fails: beside this query|UNRESOLVED_COLUMN
WITH t AS (SELECT * FROM VALUES (1, 2), (2, NULL), (NULL, 3), (3, 1) AS v(a, b)), u AS (SELECT * FROM VALUES (1), (NULL) AS v(c))
SELECT t.a, d.m FROM t, (SELECT max(c) AS m FROM u WHERE c = t.a) AS d
