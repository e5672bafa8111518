-- fails: format_string|FORMAT|Conversion|d !=
SELECT format_string('%d', x) AS t FROM (VALUES ('a'), ('b')) AS t(x)
