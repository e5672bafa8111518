-- tables: cells_bom
SELECT key, "Text Value" LIKE 'two%lines' AS a, "Text Value" LIKE NULL AS b, "Text Value" ILIKE '%QUOTED%' AS c, "Text Value" RLIKE '^two.lines$' AS d, regexp_replace("Text Value", '\\s+', ' ') AS e FROM cells_bom
