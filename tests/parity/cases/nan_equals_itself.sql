-- tables: numbers
SELECT id, x = x AS same, x = y AS equal, x < y AS less, x > y AS more, x <> y AS apart, isnan(x) AS nan, x IS NULL AS none, x > 1e308D AS huge FROM numbers
