-- tables: kinds
SELECT id, size(parts) AS n, parts[0] AS first, array_contains(parts, 0.25D) AS has FROM kinds WHERE id <> 2
