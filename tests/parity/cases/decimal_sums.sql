-- tables: kinds
SELECT sum(price) AS total, avg(price) AS mean, min(price) AS least, max(price) AS most FROM kinds
