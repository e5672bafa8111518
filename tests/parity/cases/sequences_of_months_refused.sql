-- refused: sequence(date, date, interval year to month) is not supported by every engine
SELECT size(sequence(DATE '2013-01-31', DATE '2013-05-31', INTERVAL 1 MONTH)) AS months
