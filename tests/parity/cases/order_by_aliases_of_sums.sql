-- tables: visits
-- ordered
SELECT person AS who, -count(*) AS person FROM visits GROUP BY person ORDER BY person * 10 + 1, upper(who) DESC
