-- tables: seasons, seasons_parquet
-- The files lie below year=1999/TEMP=20 and hold columns of these names.
SELECT 'csv' AS source, id, year, temp FROM seasons
UNION ALL
SELECT 'parquet', id, year, temp FROM seasons_parquet
