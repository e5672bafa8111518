-- tables: numbers
SELECT round(skewness(id * id), 9) AS s FROM numbers
