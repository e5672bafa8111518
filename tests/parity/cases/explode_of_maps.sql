SELECT explode(map('a', 1))
