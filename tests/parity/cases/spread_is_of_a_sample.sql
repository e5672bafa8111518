-- tables: people
SELECT round(stddev(pay), 9) AS sd, round(variance(pay), 9) AS var, round(stddev_pop(pay), 9) AS sdp, round(var_pop(pay), 9) AS varp, round(std(pay), 9) AS s, stddev(pay) FILTER (WHERE person = 1) AS one
FROM people
