-- tables: cells_bom
SELECT `Text Value` AS `my ``name`, t.`key` FROM cells_bom t
