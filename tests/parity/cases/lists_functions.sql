-- tables: kinds
SELECT id, array_position(parts, 0.25D) AS position, array_contains(parts, 1.5D) AS has FROM kinds WHERE id <> 2
