SELECT schema_of_json('[1,2.5]') AS c1,
       schema_of_json('{"b":true,"a":null,"c":[],"d":{"e":"x"},"g":1.5,"h":"2020-01-01"}') AS c2,
       schema_of_json('[{"a":1},{"b":"x"}]') AS c3, schema_of_json('1') AS c4, schema_of_json('null') AS c5, schema_of_json('"x"') AS c6,
       schema_of_json('{}') AS c7, schema_of_json('[]') AS c8,
       schema_of_json('{"a b":1,"c.d":[1,"x"],"E":[1,2.0],"e2":[[1],[null]],"k":[{"a":1},{"a":1.5,"b":null}],"f":10000000000000000000}') AS c9,
       from_json('{"a":1,"b":["x"]}', schema_of_json('{"a":1,"b":["y"]}')).a AS c10
