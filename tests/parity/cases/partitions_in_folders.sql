-- tables: rides, rides_parquet
-- Values with escapes, whole numbers at their ends, dates, NULL of each type.
SELECT 'csv' AS source, id, fare, city, n, day FROM rides
UNION ALL
SELECT 'parquet', id, fare, city, n, day FROM rides_parquet
