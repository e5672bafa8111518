-- tables: numbers
-- built in code
SELECT id, isnan(x) AS nan, nullif(x, double('NaN')) AS no_nan, coalesce(i, j, 0L) AS filled, greatest(x, y) AS most, least(x, y) AS fewest, if(i > 0, 'plus', 'other') AS sign,
       abs(i) AS size, sqrt(x) AS root, lower(name) AS low, upper(name) AS up, length(name) AS n FROM numbers
