-- fails: overflow
SELECT CAST(transform(l, (x, i) -> i + 2147483647) AS STRING) AS r FROM VALUES (array(1, 2)) AS t(l)
