-- fails: 4/7/2013|PARSE
SELECT to_date(s, 'dd/MM/yyyy') AS d FROM (VALUES ('4/7/2013')) AS t(s)
