-- fails: assert|not true
SELECT assert_true(n > 1) IS NULL AS e FROM (VALUES (1)) AS t(n)
