SELECT id, try_to_date(s, 'dd/MM/yyyy') AS c1,
       try_to_date(s, 'd/M/yyyy') AS c2,
       try_to_date(s, 'dd/MM/yy') AS c3,
       try_to_timestamp(s, 'dd/MM/yyyy') AS c4
FROM (VALUES (1, '04/07/2013'), (2, '4/7/2013'), (3, '04/07/13'), (4, '04/07/2013 '), (5, '32/01/2013'), (6, '29/02/2013'), (7, ''), (8, NULL), (9, '04-07-2013'), (10, '04/07/20131')) AS t(id, s)
