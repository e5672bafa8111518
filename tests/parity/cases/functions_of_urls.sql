SELECT u, try_parse_url(u, 'HOST') AS c1, try_parse_url(u, 'PATH') AS c2, try_parse_url(u, 'QUERY') AS c3,
       try_parse_url(u, 'REF') AS c4, try_parse_url(u, 'PROTOCOL') AS c5, try_parse_url(u, 'FILE') AS c6,
       try_parse_url(u, 'AUTHORITY') AS c7, try_parse_url(u, 'USERINFO') AS c8, try_parse_url(u, 'QUERY', 'k') AS c9,
       try_parse_url(u, 'host') AS c10, try_parse_url(u, 'PATH', 'k') AS c11, try_url_decode(u) AS c12,
       parse_url('http://a.com/b?c=d', 'QUERY', 'c') AS c13
FROM (VALUES ('http://spark.apache.org/path?query=1'), ('https://u:p@ex-ample.com:8080/a/b%20c?k=1&kk=2&k=3#frag'),
  ('http://a.com'), ('mailto:x@y.z'), ('/a/b?k=v'), ('a'), ('http://[::1]:80/x'), ('http://1.2.3.4/'), ('http://under_score.com/x'),
  ('file:///etc/passwd'), ('http://a.com?k=é'), ('ftp://x.y/?ak=1&k=2'), ('http://a.com/#'), ('http://a.com/?'), ('urn:isbn:123'),
  ('//host/p'), (''), ('http://a.com:/x'), ('HTTP://A.Com/X'), (NULL), ('http://a b.com/'), ('http://a.com/x y'), ('http://'),
  ('http:'), (':x'), ('http://a.com/%zz'), ('http://a.com/|'), ('http://a_b:x/'), ('1http://a'), ('http://a.com:99x/'), ('http://a..b/'),
  ('http://-a.com/'), ('http://a.1/'), ('http://300.1.1.1/'), ('http://a.com/a?b#c#d'), ('http:///x'), ('+%')) AS t(u)
