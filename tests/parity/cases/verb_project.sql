-- tables: numbers
-- built in code
SELECT id, i + j AS sum, i - 1 AS less, x * 2.0D AS twice, i / j AS ratio, -i AS negated, i = j AS same, i <> 7 AS other, x <= y AS most, name IS NULL AS none, name IS NOT NULL AS some FROM numbers
