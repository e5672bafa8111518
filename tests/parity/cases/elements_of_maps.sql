SELECT id, element_at(m, 2) AS of_whole, element_at(m, id) AS of_column, try_element_at(m, 9) AS none,
       array_join(array_sort(map_keys(m)), ',') AS keys, map_contains_key(m, 1) AS one, m[7] AS seven,
       size(map_values(m)) AS values
FROM (SELECT id, map(1, 'a', 2, s) AS m FROM (VALUES (1, 'x'), (2, NULL), (3, 'z')) AS t(id, s))
