SELECT 1.10 + 2.2 AS sum, 1.10 * 2.20 AS product, 1.10 - 2.2 AS difference, 0.1 + 0.2 = 0.3 AS exact,
       CAST(2.345 AS DECIMAL(5, 2)) AS up, CAST(-2.345 AS DECIMAL(5, 2)) AS down, CAST('12.5' AS DECIMAL(6, 3)) AS text
