SELECT k, j.x, j.y FROM (VALUES (1, '{"a":1,"b":"x"}'), (2, '{"a":[1]}'), (3, NULL)) AS t(k, s) LATERAL VIEW json_tuple(s, 'a', 'b') j AS x, y
