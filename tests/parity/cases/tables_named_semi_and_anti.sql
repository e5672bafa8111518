WITH semi AS (SELECT 1 AS id, 'a' AS anti UNION ALL SELECT 2, 'b'),
     anti AS (SELECT 2 AS id, 5 AS semi)
SELECT semi.id, semi.anti, b.semi FROM semi JOIN anti AS b ON semi.id = b.id
UNION ALL
SELECT id, anti, NULL FROM semi LEFT ANTI JOIN anti USING (id)
UNION ALL
SELECT id, anti, 0 FROM semi LEFT SEMI JOIN anti USING (id)
