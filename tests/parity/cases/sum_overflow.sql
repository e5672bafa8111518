-- tables: kinds
-- fails: overflow|range
SELECT sum(whole) AS too_much FROM kinds WHERE whole >= 0 OR id = 1
UNION ALL SELECT sum(whole) FROM (SELECT whole FROM kinds WHERE id = 1 UNION ALL SELECT whole FROM kinds WHERE id = 1) twice
