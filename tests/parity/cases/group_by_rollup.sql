-- tables: visits
SELECT place, hour, count(*) AS rows FROM visits GROUP BY ROLLUP (place, hour)
