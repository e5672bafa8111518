-- tables: lines
SELECT key, text, amount, length(text) AS n FROM lines
