-- tables: numbers
-- built in code
SELECT id, ln(x) AS l, log1p(x) AS p, log1p(y) AS q, expm1(x) AS e, expm1(y) AS f, pmod(i, 7) AS m,
       hash(concat_ws(chr(31), name, CAST(i AS STRING))) AS h,
       get(array(0.5D, 1.5D, 2.5D), CAST(pmod(i, 4) AS INT)) AS k
FROM numbers
