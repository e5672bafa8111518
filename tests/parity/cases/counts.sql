-- tables: numbers
SELECT count(*) AS rows, count(i) AS known, count(DISTINCT name) AS names, count(DISTINCT i, j) AS pairs, count_if(i > 0) AS positive, count(*) FILTER (WHERE x > 0) AS filtered FROM numbers
