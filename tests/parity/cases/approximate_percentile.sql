-- tables: people
SELECT percentile_approx(pay, 0.5) AS middle FROM people
