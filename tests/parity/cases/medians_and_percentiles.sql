-- tables: people
SELECT median(pay) AS middle, percentile(pay, 0.25) AS low, percentile(person, 0.5) AS whole FROM people
