-- tables: words
SELECT id, md5(text) AS m, sha1(text) AS s FROM words
