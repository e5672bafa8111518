SELECT length(x) AS c1, char_length(x) AS c2, octet_length(x) AS c3, bit_length(x) AS c4, hex(left(x, 2)) AS c5,
       right(t, 2) AS c6, hex(substring(x, 2)) AS c7, hex(substring(x, -2, 1)) AS c8, hex(substr(x, 0, 2)) AS c9,
       hex(lpad(x, 4)) AS c10, hex(rpad(x, 4, X'2A')) AS c11, hex(lpad(x, 1, X'2A')) AS c12, hex(reverse(x)) AS c13,
       hex(x || x) AS c14, hex(concat(x, X'00')) AS c15, startswith(x, X'41') AS c16, endswith(x, X'43') AS c17,
       contains(x, X'42') AS c18, base64(x) AS c19, md5(x) AS c20, crc32(x) AS c21, upper(t) AS c22, t || 'é' AS c23,
       trim(t) AS c24, t = 'abc' AS c25, hex(coalesce(x, 'z')) AS c26, typeof(x) AS c27, typeof(concat(x, 'a')) AS c28,
       hex(CAST('a\\x41' AS BINARY)) AS c29, CAST(t AS STRING) AS c30, lpad(t, 5, '-') AS c31, hex(elt(2, x, X'44')) AS c32
FROM (VALUES (X'414243', X'616263'), (X'', X'20'), (X'80', X'C3A9'), (NULL, NULL)) AS t(x, t)
