-- tables: days
SELECT id, extract(DOW FROM day) AS dow FROM days
