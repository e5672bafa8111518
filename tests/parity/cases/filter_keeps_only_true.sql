-- tables: cells
SELECT id FROM cells WHERE NOT flag UNION ALL SELECT id + 100 FROM cells WHERE flag OR whole > 0 UNION ALL SELECT id + 200 FROM cells WHERE NOT (whole > 0)
