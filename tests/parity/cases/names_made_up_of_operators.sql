-- tables: typed
SELECT whole + 1, -tiny + 7L, +tiny, ~tiny, whole % 2, whole div 2, tiny / 2, tiny * 2 - 3, tiny - (2 - 3),
       whole & 2, tiny | 2, tiny ^ 2, tiny << 2, tiny >> 2, word || 'x' || word, whole = 1, whole != 1, whole <=> 1,
       !flag, flag AND flag OR flag AND NOT flag AND flag AND flag, whole BETWEEN 1 AND 2,
       whole NOT BETWEEN 1 AND 2, whole IN (1, 2), word NOT IN ('a', 'b'), word LIKE 'a%', word NOT LIKE 'a!%' ESCAPE '!',
       word ILIKE 'A%', word RLIKE 'a', word IS NULL, word IS NOT NULL, flag IS TRUE, flag IS NOT FALSE,
       whole IS DISTINCT FROM 1, upper(typed.WORD), tiny + 1.5D, tiny + 1e-10, tiny + 2.5F, 1 + CAST(tiny AS BIGINT),
       CAST(tiny AS BIGINT), CAST(tiny + 1 AS DOUBLE), -tiny::string, length(TRY_CAST(tiny AS STRING)), (whole IN (SELECT whole FROM typed)),
       (SELECT max(tiny) FROM typed), 1, 'x', TRUE, 1.5D, 7L, - 8, 'it''s', DATE '2020-1-1', year(TIMESTAMP '2020-01-01'),
       if(flag, 1, 2), CASE WHEN tiny = 1 THEN 'x' WHEN flag THEN 'y' ELSE 'z' END, CASE tiny WHEN 1 THEN 'x' END
FROM typed
