-- tables: people
SELECT round(corr(person, pay), 9) AS r, round(covar_samp(person, pay), 9) AS cs, round(covar_pop(person, pay), 9) AS cp FROM people
