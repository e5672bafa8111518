SELECT hex(encode(s, 'UTF-16')) AS c1, hex(encode(s, 'utf-16le')) AS c2, hex(encode(s, 'UTF-16BE')) AS c3,
       hex(encode(s, 'UTF-32')) AS c4, hex(encode(s, 'UTF-8')) AS c5, decode(encode(s, 'UTF-16'), 'UTF-16') AS c6,
       decode(encode(s, 'UTF-16LE'), 'UTF-16LE') AS c7, decode(encode(s, 'UTF-32'), 'UTF-32') AS c8,
       hex(encode('é', 'ISO-8859-1')) AS c9, decode(X'FFFEE900', 'UTF-16') AS c10, hex(try_to_binary(s, 'hex')) AS c11,
       hex(try_to_binary('YWI=', 'base64')) AS c12, hex(to_binary('4142')) AS c13, try_to_binary('!', 'base64') IS NULL AS c14
FROM (VALUES ('a'), ('é€'), ('😀'), (''), (NULL)) AS t(s)
