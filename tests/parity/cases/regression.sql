-- tables: people
SELECT round(regr_slope(pay, person), 9) AS slope, regr_count(pay, person) AS n, round(regr_intercept(pay, person), 9) AS base, round(regr_r2(pay, person), 9) AS r2 FROM people
