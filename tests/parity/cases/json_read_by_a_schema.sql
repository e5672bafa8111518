SELECT s, r IS NULL AS none, r.a AS c1, r.b AS c2, r.c AS c3, r.d AS c4, to_json(r.e) AS c5, to_json(r.f) AS c6, r.g.h AS c7, r.g.i AS c8
FROM (SELECT s, from_json(s, 'a DOUBLE, b BOOLEAN, c DATE, d DECIMAL(5,2), e ARRAY<INT>, f MAP<STRING, INT>, g STRUCT<h: BIGINT, i: STRING>') AS r
FROM (VALUES ('{"a":1,"b":true,"c":"2020-01-02","d":1.239,"e":[1,null,3],"f":{"x":1,"y":null},"g":{"h":5,"i":"q"}}'),
  ('{"a":"NaN","b":"true","c":"x","d":"1.2","e":[1,"x"],"f":{"x":"z"},"g":{"h":"5"}}'), ('{"a":NaN,"b":1,"c":18000,"d":12345.6,"e":{"a":1},"f":[1],"g":[1]}'),
  ('{"a":"INF","e":[],"f":{},"g":{}}'), ('{"a":"Infinity","c":"2020-1-2","d":1e2}'), ('{"a":"1.5","c":"2020-01-02T10:11:12","d":"1,234.5"}'),
  ('{"a":-Infinity,"c":"2020","d":1}'), ('x'), (''), ('[1]'), ('{"a":1'), ('{"a":1} x'), ('{"a":1,"a":2}'), ('{\'a\':1}'), (NULL), ('null'),
  ('{"A":1}'), ('[{"a":1},{"a":2}]'), ('{"g":{"h":1.5,"i":[1, 2.50, {"x" : "y"}]}}'), ('{"g":{"i":1e3}}'), ('{"g":{"h":99999999999999999999,"i":true}}'),
  ('{"z":{"a":[1,2,{"b":3}]},"a":2.5}'), ('{"a":1e400,"d":0.005}')) AS t(s))
