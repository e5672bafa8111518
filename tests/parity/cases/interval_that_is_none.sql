-- fails: outside range|no interval
SELECT INTERVAL '1 25' DAY TO HOUR IS NULL AS a
