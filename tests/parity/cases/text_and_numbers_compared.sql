-- tables: cells
SELECT id, text = 12 AS twelve, whole = '42' AS answer, whole || text AS joined FROM cells WHERE id = 1
