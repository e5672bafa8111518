-- tables: people
SELECT percentile_cont(0.75) WITHIN GROUP (ORDER BY pay) AS high FROM people
