-- tables: visits
SELECT person, place, hour,
       CASE WHEN moment IS NULL THEN raise_error('no time') WHEN before = moment THEN raise_error('twice') ELSE lagged END AS lagged,
       CASE WHEN num >= 1 THEN (CAST(wholes AS DOUBLE) + (CAST(coarse AS DOUBLE) + CAST(fine AS DOUBLE) / 67108864D) / 67108864D) / num END AS mean,
       CASE WHEN num >= 1 THEN low END AS low,
       CASE WHEN size(list) >= 2 THEN sqrt(greatest(0D, aggregate(list, 0D, (a, v) -> a + (v - element_at(list, 1)) * (v - element_at(list, 1))) - aggregate(list, 0D, (a, v) -> a + (v - element_at(list, 1))) * aggregate(list, 0D, (a, v) -> a + (v - element_at(list, 1))) / size(list)) / (size(list) - 1)) END AS deviation,
       CAST(within AS DOUBLE) AS within
FROM (SELECT *, lag(moment) OVER (PARTITION BY "place" ORDER BY moment) AS before,
             lag(x, 2) OVER (PARTITION BY "place" ORDER BY moment) AS lagged,
             count(CASE WHEN isnan(x) THEN NULL ELSE x END) OVER (PARTITION BY "place" ORDER BY moment ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS num,
             sum(CASE WHEN abs(x) >= 1e15D THEN raise_error('large') ELSE CAST(floor(x) AS BIGINT) END) OVER (PARTITION BY "place" ORDER BY moment ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS wholes,
             sum(CAST(floor((x - floor(x)) * 67108864D) AS BIGINT)) OVER (PARTITION BY "place" ORDER BY moment ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS coarse,
             sum(CAST(floor(((x - floor(x)) * 67108864D - floor((x - floor(x)) * 67108864D)) * 67108864D) AS BIGINT)) OVER (PARTITION BY "place" ORDER BY moment ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS fine,
             min(x) OVER (PARTITION BY "place" ORDER BY moment ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS low,
             collect_list(x) OVER (PARTITION BY "place" ORDER BY moment ROWS BETWEEN 3 PRECEDING AND 1 PRECEDING) AS list,
             count(x) OVER (PARTITION BY "place" ORDER BY moment RANGE BETWEEN 7200000000 PRECEDING AND 1 PRECEDING) AS within
      FROM (SELECT *, CAST(hour / 7 AS DOUBLE) AS x,
                   unix_micros(CAST(timestamp_seconds(hour * 3600 + coalesce(person, 9)) AS TIMESTAMP)) AS moment
            FROM visits WHERE hour IS NOT NULL) AS valued) AS windowed
