-- tables: kinds
SELECT id, array_position(parts, 0.25D) AS position, array_max(parts) AS most, array_min(parts) AS least, element_at(parts, 1) AS first, array_join(array('a', NULL, 'b'), '-') AS joined, size(array_distinct(array(1, 1, NULL))) AS kinds FROM kinds WHERE id <> 2
