-- tables: words
SELECT id, text LIKE '%a%' AS a, text LIKE '_ %' AS b, text NOT LIKE 'S%' AS c, text ILIKE 'upper%' AS d, text LIKE '100!%%' ESCAPE '!' AS e, text RLIKE '^[a-z]+$' AS f,
       startswith(text, 'a') AS g, endswith(text, 'a') AS h, contains(text, 'a') AS i FROM words
