SELECT hex(x) AS h, is_valid_utf8(x) AS c1, try_validate_utf8(x) AS c2, make_valid_utf8(x) AS c3, try_validate_utf8(t) AS c4,
       is_valid_utf8(t) AS c5, validate_utf8(t) AS c6
FROM (VALUES (X'61', 'a'), (X'C3A9', 'é'), (X'80', ''), (X'61C3', 'x'), (X'F0908D41', 'y'), (X'C080', 'z'), (X'EDA080', NULL),
             (X'E28082F4908080', 'w'), (NULL, 'v')) AS t(x, t)
