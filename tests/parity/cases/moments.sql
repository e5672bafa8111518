-- tables: numbers
SELECT round(kurtosis(id * id), 9) AS k FROM numbers
