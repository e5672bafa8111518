-- tables: numbers
SELECT round(skewness(id * id), 9) AS s, round(kurtosis(id * id), 9) AS k FROM numbers
