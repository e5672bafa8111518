-- tables: numbers
SELECT id, floor(x) AS f, ceil(x) AS c, ceiling(x) AS cc, floor(i) AS fi, floor(-1.5) AS fd, ceil(-1.5) AS cd FROM numbers WHERE abs(x) < 1000
