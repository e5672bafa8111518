-- tables: nested
SELECT id, amount <> 'N/A' AND amount <> '' AND CAST(amount AS DOUBLE) > 7 AS c1, amount IN ('N/A', '') OR CAST(amount AS FLOAT) > 7 AS c2,
       n <> 0 AND 10 / n > 1 AS c3, NOT (n = 0 OR 10 % n = 1) AS c4, n = 0 OR (n IS NOT NULL AND 12 div n > 3) AS c5,
       size(li) > 1 AND li[1] IS NULL AS c6, exists(li, x -> x <> 0 AND 10 / x > 4) AS c7,
       coalesce(n <> 0 AND 11 / n > 1, false) AS c8, (n <> 0 AND 13 / n > 1) = flag AS c9
FROM nested
