-- fails: zero
SELECT 0.0D / 0.0D AS q
