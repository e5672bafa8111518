SELECT s, to_json(from_json(s, 'ARRAY<INT>')) AS c1, to_json(from_json(s, 'MAP<STRING, STRING>')) AS c2,
       to_json(from_json(s, 'array<struct<a:int,b:string>>')) AS c3, from_json(s, 'a TINYINT NOT NULL').a AS c4, hex(from_json(s, 'b BINARY').b) AS c5
FROM (VALUES ('[1,2]'), ('{"a":1,"b":"YWI="}'), ('[1,"x"]'), ('[]'), (NULL), ('x'), ('[1.5]'), ('1'), ('{"a":300,"c":{"d":1.0},"e":null}'),
  ('[{"a":1},{"a":"x","b":2},null]'), ('{}')) AS t(s)
