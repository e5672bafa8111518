-- tables: flights
-- built in code
SELECT * FROM flights WHERE substr(md5(concat('7', '+', length(string(year)), ':', year, '+', length(string(month)), ':', month, '+', length(string(day)), ':', day)), 1, 13) < '8000000000000'
