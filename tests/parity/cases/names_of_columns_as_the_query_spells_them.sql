WITH made AS (SELECT 1 AS Big, 'x' AS Word)
SELECT big, made.word, upper(word) AS WORD_UP FROM made ORDER BY BIG
