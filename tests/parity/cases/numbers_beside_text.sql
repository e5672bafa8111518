-- tables: typed
SELECT id, real || '' AS a, single || 'x' AS b, concat(real, ':', single, ':', flag) AS c,
  concat_ws('-', real, day, moment, word) AS d, TRY_CAST(real AS STRING) AS e, upper(real) AS f, length(real) AS g,
  real LIKE '1%' AS h, replace(whole, '0', 'o') AS i, lpad(tiny, 5, '0') AS j, substring(day, 1, 7) AS k,
  reverse(flag) AS l, string(real) AS m, instr(long, '9') AS n, split(price, '[.]')[0] AS o
FROM typed
