# SPDX-License-Identifier: Apache-2.0
"""optuna_fronts.py COUNT SEED: which of several trials Optuna's multi-objective TPE takes for good
ones, for COUNT sets of losses made at random, one JSON object per line, for pareto_test. Needs
optuna 5.0.0, as optuna_densities.py does; optuna_fronts.jsonl is its output for 40 and 11.
"""

import json
import sys

import numpy as np
import optuna
from optuna.samplers._tpe import sampler


def chosen(losses, count):
    study = optuna.create_study(directions=["minimize"] * losses.shape[1])
    trials = [
        optuna.trial.create_trial(values=[float(value) for value in row]) for row in losses
    ]
    for number, trial in enumerate(trials):
        trial.number = number
    below, _ = sampler._split_complete_trials_multi_objective(trials, study, count)
    return sorted(trial.number for trial in below)


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    assert optuna.__version__ == "5.0.0", optuna.__version__
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    for i in range(count):
        rng = np.random.default_rng([seed, i])
        size, objectives = int(rng.integers(2, 60)), int(rng.integers(2, 4))
        losses = rng.uniform(-1, 1, (size, objectives))
        if i % 3 == 0:  # On one front, so that the hypervolume alone decides.
            losses[:, -1] = -losses[:, :-1].sum(axis=1)
        take = int(rng.integers(1, size))
        rounded = np.array([[float(f"{value:.6g}") for value in row] for row in losses])
        print(json.dumps({"losses": rounded.tolist(), "take": take, "good": chosen(rounded, take)}))


main()
