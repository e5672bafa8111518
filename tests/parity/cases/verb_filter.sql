-- tables: numbers
-- built in code
SELECT * FROM numbers WHERE (i > 0 OR x < 0) AND NOT (name = 'B')
