SELECT id, size(sequence(a, b)) AS days,
       element_at(sequence(a, b), -1) AS last,
       sequence(a, b)[1] AS second,
       array_join(transform(sequence(a, b), d -> CAST(day(d) AS STRING)), ',') AS parts
FROM (VALUES (1, DATE '2012-02-27', DATE '2012-03-02'), (2, DATE '2013-01-02', DATE '2012-12-30'),
             (4, DATE '2013-01-02', NULL)) AS t(id, a, b)
