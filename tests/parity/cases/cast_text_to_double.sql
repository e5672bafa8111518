SELECT CAST(' 1.5 ' AS DOUBLE) AS spaced, CAST('NaN' AS DOUBLE) AS nan, CAST('-Infinity' AS DOUBLE) AS low, CAST('1e3' AS DOUBLE) AS power,
       double('2.25') AS called, CAST('.5' AS DOUBLE) AS half, CAST('inf' AS DOUBLE) AS high
