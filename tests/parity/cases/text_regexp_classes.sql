-- tables: words
SELECT id, regexp_extract(text, '(\\w+)\\W*(\\w*)', 2) AS second, regexp_replace(text, '[^\\p{L}]', '') AS letters, regexp_like(text, '(?i)SPARK') AS spark, regexp_count(text, 'a') AS n, size(regexp_extract_all(text, '([a-z]+)', 1)) AS words FROM words
