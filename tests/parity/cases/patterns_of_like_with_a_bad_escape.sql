-- fails: escape|ESC
SELECT s LIKE r'a\b' AS l FROM (VALUES ('ab')) AS t(s)
