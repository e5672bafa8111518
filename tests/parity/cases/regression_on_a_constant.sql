-- tables: people
SELECT regr_slope(pay, 1) AS k, regr_intercept(pay, 1) AS i FROM people
