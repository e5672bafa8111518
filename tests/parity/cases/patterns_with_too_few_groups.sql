-- fails: group
SELECT regexp_extract(s, 'a', 1) AS l FROM (VALUES ('ab')) AS t(s)
