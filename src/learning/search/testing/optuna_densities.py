# SPDX-License-Identifier: Apache-2.0
"""optuna_densities.py COUNT SEED: log densities that Optuna's own estimator gives for COUNT histories
made at random, one JSON object per line, for parzen_test. Needs optuna 5.0.0:

    python3 -m venv .deps/peers-optuna && .deps/peers-optuna/bin/pip install optuna==5.0.0
"""

import functools
import json
import sys

import numpy as np
import optuna
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers._tpe import parzen_estimator, sampler

# The order of equal coordinates decides which of them is the neighbour of another; NumPy's default
# order of them depends on the processor.
np.argsort = functools.partial(np.argsort, kind="stable")

SETTINGS = parzen_estimator._ParzenEstimatorParameters(
    prior_weight=1.0,
    consider_magic_clip=True,
    consider_endpoints=False,
    weights=sampler.default_weights,
    multivariate=True,
)


def option(rng):
    """An option as our job files describe it, Optuna's distribution, and a function that draws."""
    kind = rng.integers(5)
    if kind == 0:
        low = round(float(rng.uniform(-5, 5)), 3)
        high = low + float(rng.choice([0.01, 1, 30]))
        return {"uniform": [low, high]}, FloatDistribution(low, high), lambda: rng.uniform(low, high)
    if kind == 1:
        low = float(rng.choice([1e-6, 1e-4, 0.5]))
        high = low * float(rng.choice([2, 1000]))
        draw = lambda: float(np.clip(np.exp(rng.uniform(np.log(low), np.log(high))), low, high))
        return {"log_uniform": [low, high]}, FloatDistribution(low, high, log=True), draw
    low = int(rng.integers(1, 20))
    high = low + int(rng.choice([1, 5, 300]))
    draw = lambda: int(rng.integers(low, high + 1))
    if kind == 2:
        return {"int_uniform": [low, high]}, IntDistribution(low, high), draw
    if kind == 3:
        return {"log_int_uniform": [low, high]}, IntDistribution(low, high, log=True), draw
    count = int(rng.integers(2, 6))
    choices = [f"c{i}" for i in range(count)]
    return choices, CategoricalDistribution(choices), lambda: choices[rng.integers(count)]


def history(rng):
    """One history, points to measure at, and the densities there."""
    options = {f"o{i}": option(rng) for i in range(int(rng.integers(1, 5)))}
    size = int(rng.choice([0, 1, 2, 3, 8, 24, 25, 26, 27, 40, 60]))
    told = [{name: o[2]() for name, o in options.items()} for _ in range(size)]
    asked = [{name: o[2]() for name, o in options.items()} for _ in range(5)]

    def inner(trials):
        return {
            name: np.array([o[1].to_internal_repr(trial[name]) for trial in trials], dtype=float)
            for name, o in options.items()
        }

    space = {name: o[1] for name, o in options.items()}
    estimator = parzen_estimator._ParzenEstimator(inner(told), space, SETTINGS)
    return {
        "space": {name: o[0] for name, o in options.items()},
        "told": told,
        "asked": asked,
        "logs": [float(log) for log in estimator.log_pdf(inner(asked))],
    }


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    assert optuna.__version__ == "5.0.0", optuna.__version__
    for i in range(count):
        print(json.dumps(history(np.random.default_rng([seed, i]))))


main()
