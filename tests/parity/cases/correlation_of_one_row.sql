-- tables: people
SELECT corr(pay, person) AS r, kurtosis(pay) AS k, var_samp(pay) AS v, stddev(pay) AS s, covar_samp(pay, person) AS c FROM people WHERE person = 1
