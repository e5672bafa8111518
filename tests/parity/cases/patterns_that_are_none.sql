-- fails: regular expression|PATTERN|regex
SELECT s RLIKE p AS l FROM (VALUES ('ab', '[')) AS t(s, p)
