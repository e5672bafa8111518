-- tables: flights, weather, planes, airports, airlines
WITH legs AS (
  SELECT *,
         make_date(year, month, day) AS flown,
         lag(dep_delay) OVER (PARTITION BY tailnum, year, month, day
                              ORDER BY dep_time, dest, carrier, arr_delay) AS previous_delay
  FROM flights
  WHERE arr_delay IS NOT NULL
)
SELECT l.year, l.month, l.day, l.hour, l.origin, l.dest, l.dep_delay, l.distance, l.arr_delay,
       weekofyear(l.flown)                                             AS week,
       datediff(l.flown, make_date(l.year, 1, 1))                      AS day_of_year,
       coalesce(l.previous_delay, 0)                                   AS previous_delay,
       regexp_extract(a.name, '([A-Za-z]+)', 1)                        AS airline,
       CASE WHEN l.hour < 6 THEN 'night' WHEN l.hour < 12 THEN 'morning'
            WHEN l.hour < 18 THEN 'afternoon' ELSE 'evening' END       AS part_of_day,
       w.temp, w.wind_speed, w.precip,
       l.year - p.year                                                 AS plane_age,
       p.seats, p.manufacturer, d.lat, d.lon
FROM legs l
LEFT JOIN weather  w ON w.origin = l.origin AND w.year = l.year AND w.month = l.month AND w.day = l.day AND w.hour = l.hour
LEFT JOIN planes   p ON p.tailnum = l.tailnum
LEFT JOIN airports d ON d.faa = l.dest
LEFT JOIN airlines a ON a.carrier = l.carrier
