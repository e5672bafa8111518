-- tables: words
SELECT id, regexp_replace(text, '(a)', '[$1]') AS a, regexp_extract(text, 'zzz|(a)', 1) AS c, text RLIKE 'lower$' AS d, split(text, '')[0] AS e, substring_index(text, 'a', -1) AS f, substring_index(text, 'zz', 1) AS g, translate(text, 'a', '') AS h FROM words WHERE id <> 3
