-- tables: cells_bom
SELECT key, "Text Value" AS text, amount, length("Text Value") AS n FROM cells_bom
