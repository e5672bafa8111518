-- tables: kinds
SELECT sum(single) AS total, avg(single) AS mean, max(single) AS most, min(single) AS least FROM kinds WHERE id <> 2
