-- fails: day|DAY
SELECT next_day(d, 'mox') AS e FROM (VALUES (DATE'2013-07-04')) AS t(d)
