-- tables: typed
SELECT flag, count(*), count(word), count(DISTINCT word), sum(whole), sum(DISTINCT tiny), avg(tiny), mean(tiny), MAX(word),
       min(typed.whole), sum(whole) + count(*), sum(tiny) FILTER (WHERE tiny > 0), max_by(tiny, id), count_if(flag),
       bool_and(flag), every(flag), first(flag), any_value(flag), CAST(sum(tiny) AS STRING), round(avg(tiny), 2),
       sum(CASE WHEN tiny > 1 THEN 1 ELSE 0 END), sum(if(flag, 1, 0)), percentile(tiny, 0.5), percentile_cont(0.5) WITHIN GROUP (ORDER BY tiny),
       approx_percentile(tiny, 0.5), median(tiny), size(collect_list(tiny)), size(array_agg(id)), grouping(flag)
FROM typed GROUP BY GROUPING SETS ((flag), ())
