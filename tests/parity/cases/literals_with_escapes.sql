SELECT '\101' AS octal, '\377' AS above, '\U0001F600' AS wide, '\uD83D\uDE00' AS pair,
  '\uD83D' AS half, '\u00g1' AS none, 'a' 'b' AS together, r'\d' AS raw, R"it's" AS doubled, '\%\_\q' AS kept,
  length('a\0b') AS n, 'it''s' || '\'' AS quotes
