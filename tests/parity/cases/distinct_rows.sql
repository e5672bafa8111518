-- tables: visits
SELECT DISTINCT person, place FROM visits
