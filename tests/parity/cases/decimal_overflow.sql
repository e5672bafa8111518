-- fails: decimal
SELECT CAST(123456.7 AS DECIMAL(5, 2)) AS too_much
