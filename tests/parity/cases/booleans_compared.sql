-- tables: cells
SELECT id, flag > FALSE AS more, flag = TRUE AS yes, NOT (flag <=> NULL) AS known, flag IS NOT TRUE AS other, NOT NULL AS none, flag IN (TRUE, NULL) AS one FROM cells
