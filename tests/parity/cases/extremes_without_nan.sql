-- tables: bounds
SELECT min(zero) AS z, max(zero_single) AS s, max(number) AS x, min(whole) AS w, max(text) AS t,
  min(nothing) AS none FROM bounds
