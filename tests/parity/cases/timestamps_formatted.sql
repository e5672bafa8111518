-- tables: days
SELECT id, date_format(day, 'yyyy-MM-dd') AS iso, date_format(at, 'HH:mm') AS clock FROM days
