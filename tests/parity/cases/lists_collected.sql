-- tables: visits
SELECT place, size(collect_list(hour)) AS hours, size(collect_set(person)) AS persons, size(array_agg(hour)) AS all FROM visits GROUP BY place
