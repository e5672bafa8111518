-- tables: kinds
SELECT id, single + 1 AS more, single * 3 AS thrice, single = 0.1 AS tenth, single = CAST(0.1 AS FLOAT) AS same, single < number AS less, CAST(single AS DOUBLE) AS wide, CAST(single AS STRING) AS text, round(single, 1) AS r FROM kinds
