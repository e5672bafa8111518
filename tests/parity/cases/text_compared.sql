-- tables: words
SELECT id, text < other AS less, text = 'aaa' AS same, text <> '' AS full, text > 'a' AS more FROM words
