-- tables: numbers
SELECT lower(name) AS letter, count(*) AS rows, max(i) AS most FROM numbers GROUP BY letter HAVING count(*) > 1
