-- tables: words
-- built in code
SELECT id, array_join(words, '|') AS w, size(words) AS n, array_join(kept, '|') AS k, size(letters) AS l,
       array_join(pairs, '|') AS p, array_join(without, '|') AS o, array_join(bare, '|') AS b, get(letters, 1) AS after_first, joined
FROM (SELECT id, words, filter(words, t -> length(t) >= 3) AS kept, letters,
             CASE WHEN size(letters) < 2 THEN array()
                  ELSE transform(sequence(1, size(letters) - 1), i -> array_join(slice(letters, i, 2), ' ')) END AS pairs,
             filter(letters, t -> t NOT IN ('a', 't')) AS without,
             filter(split(text, ' '), t -> lower(t) <> 'upper') AS bare, concat_ws(chr(31), text, other) AS joined
      FROM (SELECT *, split(lower(text), '[\\s,;]') AS words, regexp_extract_all(text, '[a-z]', 0) AS letters FROM words))
