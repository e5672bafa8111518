-- tables: cells
-- fails: abc
SELECT id FROM cells WHERE text = 12 AND id = 4
