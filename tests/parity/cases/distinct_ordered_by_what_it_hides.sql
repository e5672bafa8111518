-- fails: does not show|UNRESOLVED_COLUMN
WITH t AS (SELECT * FROM VALUES (1, 2), (2, NULL), (NULL, 3), (3, 1) AS v(a, b)), u AS (SELECT * FROM VALUES (1), (NULL) AS v(c))
SELECT DISTINCT a + 1 AS d FROM t ORDER BY a + 1
