-- fails: INVALID_FRACTION_OF_SECOND|60.5
SELECT make_timestamp(2013, 7, 4, 10, 11, 60.5) AS a
