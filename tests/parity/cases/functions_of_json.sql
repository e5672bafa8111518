SELECT id, get_json_object(s, '$.a') AS c1,
       get_json_object(s, '$.a.b[1]') AS c2,
       get_json_object(s, '$.c') AS c3,
       get_json_object(s, '$.z') AS c4,
       get_json_object(s, 'a') AS c5,
       json_array_length(s) AS c6,
       array_join(json_object_keys(s), ',') AS c7
FROM (VALUES (1, '{"a":{"b":[1,2]},"c":"x y"}'), (2, '{"a":1.50}'), (3, 'bad'), (4, '{"a":null}'), (5, NULL), (6, '{"a":true}'), (7, '[1,2,3]'), (8, '{"a":"é"}')) AS t(id, s)
