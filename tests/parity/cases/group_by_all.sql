-- tables: visits
SELECT place, count(*) AS rows FROM visits GROUP BY ALL
