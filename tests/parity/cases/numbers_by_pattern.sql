SELECT d, to_char(d, '999') AS a, to_char(d, '000.00') AS b, to_char(d, '9,999.99') AS c, to_char(d, '$0,000.00') AS e,
  to_char(d, 'S999.9') AS f, to_char(d, '999.9S') AS g, to_char(d, 'MI999.99') AS h, to_char(d, '999.99MI') AS i, to_char(d, '999.99PR') AS j,
  to_varchar(d, '99G999D') AS k, to_char(DATE '2013-07-04', 'yyyy MM') AS l
FROM VALUES (454.0000BD), (0.0000BD), (-5.0000BD), (12.5000BD), (1234.5670BD), (0.5000BD), (-0.0500BD), (100000.0000BD) AS t(d)
