-- tables: kinds
SELECT id, price, price * 2 AS twice, price + 0.005 AS more, CAST(price AS DOUBLE) AS number, CAST(price AS BIGINT) AS whole FROM kinds
