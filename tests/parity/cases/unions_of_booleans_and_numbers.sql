-- refused: union
-- fails: UNION
SELECT true AS x UNION ALL SELECT 1
