SELECT sqrt(-1.0D) AS root, ln(-1.0D) AS l, log10(0.0D) AS l10, acos(2.0D) AS a, log1p(-1.0D) AS l1, log(-2, 8) AS lb
