SELECT months_between(DATE '2013-03-31', DATE '2013-02-28') AS both_last, months_between(DATE '2013-03-15', DATE '2013-01-01') AS apart
