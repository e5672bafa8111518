-- tables: numbers
SELECT id, round(x) AS whole, round(x, 1) AS tenth, round(i) AS same FROM numbers WHERE abs(x) < 1000
