SELECT id FROM range(3)
