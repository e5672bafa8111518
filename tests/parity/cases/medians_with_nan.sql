-- tables: numbers
SELECT median(x) AS m, percentile(x, 0.9) AS p FROM numbers
