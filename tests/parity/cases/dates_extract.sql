-- tables: days
SELECT id, extract(YEAR FROM day) AS y, extract(MONTH FROM day) AS m, extract(DAY FROM day) AS d, extract(WEEK FROM day) AS w,
       date_part('doy', day) AS doy FROM days
