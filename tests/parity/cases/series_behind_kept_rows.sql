-- tables: visits, people
SELECT given_name, is_given, place, moment FROM (
  SELECT g.name AS given_name, true AS is_given, CAST(g.person AS STRING) AS place, CAST(g.person AS BIGINT) AS moment, CAST(NULL AS DOUBLE) AS x FROM people AS g
  UNION ALL
  SELECT e.name AS given_name, false AS is_given, CAST(h.place AS STRING) AS place, CAST(h.hour AS BIGINT) AS moment, CAST(h.person AS DOUBLE) AS x
  FROM visits AS h JOIN (SELECT min(CAST(person AS BIGINT)) AS first FROM people) AS f ON 1 = 1 AND CAST(h.place AS STRING) <=> h.place
  LEFT JOIN (SELECT * FROM people WHERE 1 = 0) AS e ON 1 = 0
  WHERE CAST(h.hour AS BIGINT) > f.first) AS together
