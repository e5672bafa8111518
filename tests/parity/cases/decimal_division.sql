SELECT 1.00 / 3 AS third, 10 / 4.0 AS two_and_a_half
