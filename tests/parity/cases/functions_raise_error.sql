-- fails: too much
SELECT if(n > 0, raise_error('too much'), 'x') AS e FROM (VALUES (1)) AS t(n)
