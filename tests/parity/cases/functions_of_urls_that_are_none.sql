-- fails: URL|INVALID_URL
SELECT parse_url(u, 'HOST') AS h FROM (VALUES ('http://a.com'), ('http://a b')) AS t(u)
