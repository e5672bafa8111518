-- tables: numbers
SELECT ID, n.I AS Twice, "NaMe" AS "Quoted Name" FROM NUMBERS N WHERE Id < 4
