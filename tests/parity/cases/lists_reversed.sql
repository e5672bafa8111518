SELECT id, array_join(reverse(split(s, ',')), '|') AS parts,
       reverse(array(id, NULL, 7))[0] AS last,
       element_at(reverse(sequence(1, id)), 1) AS first,
       reverse(s) AS letters
FROM (VALUES (1, 'a,b,c'), (2, NULL), (3, '')) AS t(id, s)
