-- tables: days
SELECT id, day > DATE '2013-01-01' AS after, day = '2013-01-01' AS same, day BETWEEN DATE '2000-01-01' AND DATE '2013-01-01' AS between_them, greatest(day, DATE '2013-01-01') AS later
FROM days
