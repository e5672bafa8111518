-- tables: words
-- built in code
SELECT *, substr(md5(concat('-3', coalesce(concat('+', length(text), ':', text), '-'), coalesce(concat('+', length(other), ':', other), '-'))), 1, 13) < '4000000000000' AS held FROM words
