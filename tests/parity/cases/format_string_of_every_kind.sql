SELECT format_string('%5d|%-5d|%05d|%+d|%,d|%(d|%x|%X|%o|%08X|% d|%#x', i, i, i, i, i * 100000, -i, i, i, i, -i, i, i) AS c1,
       format_string('%f|%.2f|%10.3f|%-10.1f|%010.2f|%+.1f|%,.2f|%(.2f|%e|%.3E|%g|%.0f', d, d, d, d, d, d, d * 1000000, -d, d, d, d, d) AS c2,
       format_string('%s|%10s|%-10s|%.2s|%S|%b|%c|%%|%2$s|%<s', s, s, s, s, s, s, i) AS c3, format_string('%s %s %s', b, d, p) AS c4,
       format_string('%x %x %d', CAST(-1 AS TINYINT), CAST(-1 AS SMALLINT), CAST(i AS BIGINT)) AS c5, format_string(NULL, i) AS c6
FROM (VALUES (42, 2.675D, 'abc', true, 1.50BD), (7, -0.45D, 'é', false, 0.1BD), (1, 123456.789D, '', NULL, NULL),
  (65, 0.00001234D, NULL, NULL, NULL), (2, CAST('NaN' AS DOUBLE), 'x', NULL, NULL), (3, 1e20D, 'y', NULL, NULL)) AS t(i, d, s, b, p)
