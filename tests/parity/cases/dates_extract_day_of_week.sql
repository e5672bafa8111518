-- tables: days
-- refused: dow
SELECT id, extract(DOW FROM day) AS dow FROM days
