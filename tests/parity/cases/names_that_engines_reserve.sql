SELECT column, check, default AS at, t.table, 1a, to isnull FROM
  (SELECT 1 AS column, 2 AS check, 3 AS default, 4 AS table, 5 AS `1a`, 6 AS to) AS t
