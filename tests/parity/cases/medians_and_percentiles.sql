-- tables: people
SELECT median(pay) AS middle, percentile(pay, 0.25) AS low, percentile_cont(0.75) WITHIN GROUP (ORDER BY pay) AS high, percentile(person, 0.5) AS whole FROM people
