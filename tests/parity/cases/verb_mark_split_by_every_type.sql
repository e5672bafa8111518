-- tables: kinds
-- built in code
SELECT id, substr(md5(concat('1', coalesce(concat('+', length(string(flag)), ':', flag), '-'), coalesce(concat('+', length(string(whole)), ':', whole), '-'), coalesce(concat('+', length(string(day)), ':', day), '-'), coalesce(concat('+', length(string(at)), ':', at), '-'))), 1, 13) < '8000000000000' AS held FROM kinds
