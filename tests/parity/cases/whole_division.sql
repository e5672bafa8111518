-- tables: numbers
SELECT id, i div j AS whole, -7 div 2 AS towards_zero FROM numbers WHERE j <> 0
