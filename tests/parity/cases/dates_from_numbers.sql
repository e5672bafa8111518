-- tables: cells
SELECT id, unix_date(day) AS n, date_from_unix_date(int(id)) AS d, from_unixtime(id * 100000) AS t, make_timestamp(2013, 7, 4, 5, 6, 7.5) AS made FROM cells
