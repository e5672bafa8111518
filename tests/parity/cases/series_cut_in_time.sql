-- tables: visits
WITH v AS (SELECT * FROM visits WHERE hour IS NOT NULL)
SELECT rows.person, rows.place, rows.hour, parts.part AS fold, parts.part_before AS before,
       CASE WHEN hour IS NULL THEN raise_error('no time') WHEN hour >= (SELECT max(at) FROM (SELECT at, sum(num) OVER (ORDER BY at DESC ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS later, sum(num) OVER () AS everything FROM (SELECT hour AS at, count(*) AS num FROM v GROUP BY hour) AS counts) AS sums WHERE later >= 0.3D * everything) THEN 1 ELSE 0 END = 1 AS latest
FROM v AS rows JOIN (SELECT at, part, coalesce(lead(part, 1) OVER (ORDER BY at), 2) AS part_before
  FROM (SELECT at, CAST((sum(num) OVER (ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) - num) * 3 DIV sum(num) OVER () - 1 AS BIGINT) AS part
        FROM (SELECT hour AS at, sum(CASE WHEN hour IS NULL THEN raise_error('no time') ELSE 1 END) AS num FROM v GROUP BY hour) AS counts) AS numbered) AS parts ON rows.hour = parts.at
