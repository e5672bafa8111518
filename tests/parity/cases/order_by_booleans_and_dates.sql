-- tables: cells
-- ordered
SELECT id, flag, day FROM cells ORDER BY flag DESC, day
