SELECT id, e.key, e.value FROM (
  SELECT id, explode(map_entries(m)) AS e
  FROM (SELECT id, map('a', id, 'b', NULL) AS m FROM (VALUES (1), (2)) AS t(id)))
