-- tables: numbers
SELECT id, floor(x) AS f, ceil(x) AS c, ceiling(x) AS cc, floor(i) AS fi, CAST(floor(-1.5) AS INT) AS fd, CAST(ceil(-1.5) AS INT) AS cd FROM numbers WHERE abs(x) < 1000
