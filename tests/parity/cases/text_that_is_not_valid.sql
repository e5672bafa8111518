-- fails: UTF-8|INVALID_UTF8
SELECT validate_utf8(x) AS t FROM (VALUES (X'61'), (X'80')) AS t(x)
