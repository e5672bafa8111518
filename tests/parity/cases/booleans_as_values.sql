-- tables: cells
SELECT max(flag) AS most, min(flag) AS least, count(DISTINCT flag) AS kinds, sum(CAST(flag AS INT)) AS n, bool_and(flag) AS every_one, bool_or(flag) AS one FROM cells
