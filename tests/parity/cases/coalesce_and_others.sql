-- tables: numbers
SELECT id, coalesce(i, j, 0) AS c, nvl(name, 'none') AS n, nvl2(name, 'some', 'none') AS n2, nullif(name, 'a') AS nif, ifnull(i, -1) AS ifn, nanvl(x, 0.0D) AS nv, coalesce(i, x) AS mixed,
       zeroifnull(j) AS z FROM numbers
