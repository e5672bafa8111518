-- tables: cells_bom
SELECT key AS "a b", "Text Value" AS "quote""d", amount AS "select" FROM cells_bom
