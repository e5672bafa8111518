SELECT weekofyear(DATE '2012-12-31') AS a, weekofyear(DATE '2013-12-30') AS b, weekofyear(DATE '2016-01-03') AS c
