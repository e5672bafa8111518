-- tables: words
SELECT id, md5(text) AS m, sha1(text) AS s, sha2(text, 256) AS t FROM words
