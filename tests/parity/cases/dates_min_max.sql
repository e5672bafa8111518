-- tables: days
SELECT min(day) AS first, max(day) AS last, min(at) AS early, max(at) AS late, count(day) AS known FROM days
