-- tables: typed
SELECT flag, sum(price) AS total, avg(price) AS mean, sum(price) / count(*) AS by_hand, avg(share) AS shares,
  round(avg(price), 2) AS rounded, sum(price * share) AS products, min(wide) AS least, max(price) AS most,
  sum(price) FILTER (WHERE tiny > 0) AS some, avg(DISTINCT share) AS apart
FROM typed GROUP BY flag
