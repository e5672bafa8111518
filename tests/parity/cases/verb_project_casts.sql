-- tables: cells
-- built in code
SELECT id, CAST(flag AS BIGINT) AS one, CAST(number AS BIGINT) AS whole, CAST(whole AS DOUBLE) AS number, CAST(number AS FLOAT) AS single, CAST(whole AS STRING) AS text, CAST(whole AS BOOLEAN) AS truth,
       floor(number) AS down, ceil(number) AS up, year(day) AS y, month(day) AS m, day(day) AS d FROM cells
