-- tables: typed
SELECT id, 1 / tiny AS part, part + 1 AS more, CAST(concat(id, '') AS INT) AS n, n + 1 AS next,
       array(1, 2)[1] AS two, two * 2 AS four
FROM typed WHERE tiny BETWEEN 1 / tiny AND 100 / tiny
