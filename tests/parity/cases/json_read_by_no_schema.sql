-- fails: schema|PARSE_SYNTAX_ERROR
SELECT from_json('{"a":1}', 'a INT b') AS x
