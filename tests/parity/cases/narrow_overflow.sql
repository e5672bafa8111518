-- tables: kinds
-- fails: overflow
SELECT small + small AS too_much FROM kinds WHERE id = 1
