SELECT /*+ coalesce(1) */ /* a /* b */ c */ 1 AS one, -- d \
 e, 5 AS five,
 2 AS two
