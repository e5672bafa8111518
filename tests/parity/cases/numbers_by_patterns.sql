SELECT format_number(a, '#,###.##') AS c1, format_number(a, '0.000') AS c2, format_number(a, '##0') AS c3, format_number(a, '$#,##0.0#') AS c4,
       format_number(a, '#') AS c5, format_number(a, '.00') AS c6, format_number(a, '000,000.0') AS c7, format_number(a, '#.#') AS c8,
       format_number(a, '#,####.00 EUR') AS c9, format_number(a, '') AS c10, format_number(CAST(p AS DECIMAL(12, 3)), '#,##0.0#') AS c11
FROM (VALUES (1234567.891D, 1.005), (0D, 0), (-0.5D, -12345.125), (0.125D, 99.995), (2.5D, 2.5), (CAST('NaN' AS DOUBLE), NULL),
  (CAST('Infinity' AS DOUBLE), 1), (999.995D, 1), (-1234.5D, 1), (0.005D, 1), (1e15D, 1), (NULL, 1)) AS t(a, p)
