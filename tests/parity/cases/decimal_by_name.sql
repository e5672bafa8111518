SELECT id, decimal(n) AS of_whole, decimal(s) AS of_text, decimal(p) AS of_decimal, decimal(n) + 1 AS added, string(decimal(s)) AS shown
FROM (VALUES
  (1, 7L, '12.5', 12.50), (2, -7L, ' -12.5 ', -12.50), (3, NULL, NULL, NULL), (4, 9999999999L, '1e3', 0.49)) AS t(id, n, s, p)
