-- tables: kinds
-- fails: overflow|range
SELECT abs(small) AS n FROM kinds WHERE id = 2
