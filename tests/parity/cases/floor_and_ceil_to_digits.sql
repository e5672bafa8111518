SELECT id, floor(x, 1) AS f1, ceil(x, 1) AS c1, floor(x, -1) AS tens, ceiling(w, -2) AS hundreds,
       floor(d, 2) AS fd, ceil(d, -1) AS cd
FROM (VALUES (1, CAST(2.345 AS DOUBLE), CAST(1234 AS BIGINT), CAST(1.2345 AS DECIMAL(10, 4))),
             (2, CAST(-2.345 AS DOUBLE), CAST(-1234 AS BIGINT), CAST(-15.5 AS DECIMAL(10, 4))),
             (3, NULL, NULL, NULL)) AS t(id, x, w, d)
