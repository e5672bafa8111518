-- fails: overflow
SELECT conv(s, 10, 16) AS e FROM (VALUES ('18446744073709551616')) AS t(s)
