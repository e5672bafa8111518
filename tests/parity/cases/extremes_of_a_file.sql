-- tables: bounds
SELECT max(with_nan) AS n, max(with_nan_single) AS s, min(with_nan) AS least FROM bounds
