# SPDX-License-Identifier: Apache-2.0
"""search_hyperopt.py [SEEDS]: the figures of search.py by Hyperopt's TPE as it comes."""

import json
import statistics

import hyperopt
import numpy as np
from search import FUNCTIONS, SEEDS, TRIALS


def best_of(function, low, high, options, seed):
    trials = hyperopt.Trials()
    hyperopt.fmin(lambda values: float(function(np.array([values[f"x{i}"] for i in range(options)]))),
                  {f"x{i}": hyperopt.hp.uniform(f"x{i}", low, high) for i in range(options)}, algo=hyperopt.tpe.suggest,
                  max_evals=TRIALS, trials=trials, rstate=np.random.default_rng(seed), show_progressbar=False, verbose=False)
    return min(trials.losses())


for name, function in FUNCTIONS.items():
    values = [best_of(*function, seed) for seed in range(SEEDS)]
    print(json.dumps({"figure": f"{name}, best of {TRIALS}", "value": statistics.median(values), "unit": "loss",
                      "all": values}), flush=True)
