SELECT '5' + 1 AS six, '2.5' * 2.0D AS five
