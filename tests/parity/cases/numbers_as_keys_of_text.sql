-- tables: typed
SELECT concat('k', real) AS k, count(*) AS n FROM typed GROUP BY concat('k', real)
