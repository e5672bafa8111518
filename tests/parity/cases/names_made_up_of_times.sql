-- tables: typed
SELECT day + 1, day - 1, tiny + day, (day + 1) + 1, last_day(day) - 1, CAST('2020-01-01' AS DATE) + 1, day + INTERVAL 1 DAY,
       day - INTERVAL 2 WEEKS, day + INTERVAL 1 MONTH, moment - INTERVAL 1 YEAR 2 MONTHS, moment + INTERVAL 3 HOURS,
       moment - INTERVAL 1 DAY, extract(YEAR FROM day), date_part('year', day), to_date('2020-01-01'), months_between(day, day),
       unix_timestamp('2020-01-01', 'yyyy-MM-dd'), date_trunc('MONTH', moment), datediff(day, day), day > DATE '2020-01-01'
FROM typed
