-- tables: kinds
SELECT id, flag, small, whole, single, number, text, day, at, price FROM kinds
