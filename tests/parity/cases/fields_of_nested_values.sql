SELECT s.a + 1 AS c1, typeof(s.a) AS c2, t.s.b.c * 2 AS c3, s['a'] AS c4, l[0].a AS c5, CAST(l.a AS STRING) AS c6, m['k'].a AS c7,
       m.k.a AS c8, S.B.C AS c9, typeof(element_at(m, 'x')) AS c10, e[0].key AS c11, sum(l[1].a) OVER () AS c12,
       coalesce(split('007,2', ',')[0], '0') AS c13, split('2013-01', '-')[0] = '2013' AS c14, split('2013-01', '-')[0] = 2013 AS c15,
       concat(l[1].a, '!') AS c16, round(l[0].a) AS c17, str_to_map('a:1,b:2')['a'] || '' AS c18, max(n[0]) OVER () AS c19
FROM (SELECT s, array(s, named_struct('a', 0.1, 'b', named_struct('c', 2))) AS l, map('k', s) AS m, map_entries(map('p', 1)) AS e,
             array('10', '9') AS n
      FROM VALUES (named_struct('a', 1.5, 'b', named_struct('c', 1)))  AS t(s)) AS t
