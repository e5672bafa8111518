# SPDX-License-Identifier: Apache-2.0
"""search.py [SEEDS]: the figures of bench_search by Optuna's TPE as it comes: the same functions, ranges and
numbers of trials and seeds."""

import json
import math
import statistics
import sys
import time
import warnings

import numpy as np
import optuna

warnings.filterwarnings("ignore")
optuna.logging.set_verbosity(optuna.logging.ERROR)
TRIALS, ASKS = 100, 20
SEEDS = int(sys.argv[1]) if len(sys.argv) > 1 else 30

A = np.array([[10, 3, 17, 3.5, 1.7, 8], [0.05, 10, 17, 0.1, 8, 14], [3, 3.5, 1.7, 10, 17, 8], [17, 8, 0.05, 10, 0.1, 14]])
P = 1e-4 * np.array([[1312, 1696, 5569, 124, 8283, 5886], [2329, 4135, 8307, 3736, 1004, 9991],
                     [2348, 1451, 3522, 2883, 3047, 6650], [4047, 8828, 8732, 5743, 1091, 381]])
HARTMANN = np.array([1, 1.2, 3, 3.2])


def ackley(x):
    x = x - 1.7
    return (-20 * math.exp(-0.2 * math.sqrt((x * x).mean())) - math.exp(np.cos(2 * np.pi * x).mean()) + 20 + math.e)


def branin(x):
    a, b = x[0] * 15 - 5, x[1] * 15
    return ((b - 5.1 / (4 * np.pi**2) * a * a + 5 / np.pi * a - 6) ** 2 + 10 * (1 - 1 / (8 * np.pi)) * math.cos(a)
            + 10 - 0.397887)


def griewank(x):
    x = x - 77
    return 1 + (x * x).sum() / 4000 - np.cos(x / np.sqrt(np.arange(1, len(x) + 1))).prod()


def levy(x):
    w = 1 + (x - 1) / 4
    return (math.sin(np.pi * w[0]) ** 2 + ((w[:-1] - 1) ** 2 * (1 + 10 * np.sin(np.pi * w[:-1] + 1) ** 2)).sum()
            + (w[-1] - 1) ** 2 * (1 + math.sin(2 * np.pi * w[-1]) ** 2))


# name: (function, low, high, options)
FUNCTIONS = {
    "sphere5": (lambda x: ((x - 1.3) ** 2).sum(), -5, 5, 5),
    "rosenbrock4": (lambda x: (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum(), -2, 2, 4),
    "rastrigin4": (lambda x: 10 * len(x) + (x * x - 10 * np.cos(2 * np.pi * x)).sum(), -5.12, 5.12, 4),
    "ackley5": (ackley, -10, 10, 5),
    "branin": (branin, 0, 1, 2),
    "hartmann6": (lambda x: 3.32237 - (HARTMANN * np.exp(-(A * (x - P) ** 2).sum(1))).sum(), 0, 1, 6),
    "levy4": (levy, -10, 10, 4),
    "griewank4": (griewank, -600, 600, 4),
    "michalewicz5": (lambda x: 4.687658 - (np.sin(x) * np.sin(np.arange(1, 6) * x * x / np.pi) ** 20).sum(), 0, math.pi, 5),
    "styblinski4": (lambda x: 0.5 * (x**4 - 16 * x * x + 5 * x).sum() + 39.16617 * 4, -5, 5, 4),
}


def best_of(function, low, high, options, seed):
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=seed))
    study.optimize(lambda trial: float(function(np.array([trial.suggest_float(f"x{i}", low, high) for i in range(options)]))),
                   n_trials=TRIALS)
    return study.best_value


def ask_ms():
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1))
    space = {f"x{i}": optuna.distributions.FloatDistribution(1e-4, 1, log=True) for i in range(6)}
    space["c"] = optuna.distributions.CategoricalDistribution(["a", "b", "c"])
    rng = np.random.default_rng(0)
    for _ in range(1000):
        values = {f"x{i}": float(np.exp(rng.uniform(np.log(1e-4), 0))) for i in range(6)} | {"c": "abc"[rng.integers(3)]}
        study.add_trial(optuna.trial.create_trial(params=values, distributions=space, value=sum(list(values.values())[:6])))
    times = []
    for _ in range(ASKS):
        start = time.thread_time()
        study.ask(space)
        times.append((time.thread_time() - start) * 1e3)
    return statistics.median(times)


def main():
    for name, function in FUNCTIONS.items():
        values = [best_of(*function, seed) for seed in range(SEEDS)]
        print(json.dumps({"figure": f"{name}, best of {TRIALS}", "value": statistics.median(values), "unit": "loss",
                          "all": values}), flush=True)
    print(json.dumps({"figure": "ask after 1,000 trials", "value": ask_ms(), "unit": "ms"}), flush=True)


if __name__ == "__main__":
    main()
