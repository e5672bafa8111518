-- ordered
SELECT t FROM VALUES ('a'), ('Z'), ('é'), ('z'), (''), (NULL), ('😀'), ('✓') AS v(t) ORDER BY t DESC
