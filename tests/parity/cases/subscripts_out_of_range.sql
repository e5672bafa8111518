-- tables: kinds
-- fails: list|index
SELECT parts[5] AS none FROM kinds WHERE id = 1
