-- tables: words
SELECT id, substring(text, 1, 3) AS first, substring(text, 0, 3) AS zero, substring(text, -3, 2) AS last, substring(text, 2) AS rest, substring(text, -100, 98) AS far,
       substr(text, 3, 100) AS long, substring(text, 2, -1) AS negative, left(text, 2) AS l, right(text, 2) AS r, left(text, -1) AS none FROM words
