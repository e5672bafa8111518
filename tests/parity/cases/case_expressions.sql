-- tables: numbers
SELECT id, CASE WHEN i > 0 THEN 'plus' WHEN i < 0 THEN 'minus' END AS sign, CASE name WHEN 'a' THEN 1 WHEN NULL THEN 2 ELSE 3 END AS code,
       if(i > 0, 'yes', 'no') AS chosen, CASE WHEN i > 0 THEN 1 ELSE 0.5 END AS mixed FROM numbers
