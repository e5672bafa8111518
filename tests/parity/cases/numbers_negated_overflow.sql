-- tables: kinds
-- fails: overflow|range
SELECT -whole AS n FROM kinds WHERE id = 2
