SELECT 'a\tb' AS tab, length('\\d') AS two, regexp_extract('ab12', '\\d+', 0) AS digits, 'it''s' AS quote
