-- tables: numbers
SELECT id, i <=> j AS same, i <=> NULL AS none, NOT (x <=> y) AS apart, i IS DISTINCT FROM j AS distinct_from FROM numbers
