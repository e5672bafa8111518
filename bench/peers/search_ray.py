# SPDX-License-Identifier: Apache-2.0
"""search_ray.py JOB TABLES TRIALS EPOCHS: the search of search_flights.py by Ray Tune: random options, ASHA, two
trials at a time, each with a core."""

import json
import sys
import time
import tomllib

import by_hand
import ray
import search_flights
import torch
from ray import tune


def trainable(options, task):
    torch.set_num_threads(1)
    for best in search_flights.curve(options, *task):
        tune.report({"rmse": best})


def main():
    path, folder, trials, epochs = sys.argv[1:]
    with open(path, "rb") as file:
        job = tomllib.load(file)
    (train, held), cardinalities, deviation = search_flights.sides_of(job, folder)
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    space = {"learning_rate": tune.loguniform(1e-4, 3e-2), "weight_decay": tune.loguniform(1e-6, 1e-2),
             "batch_size": tune.lograndint(256, 2049), "hidden": tune.choice(list(search_flights.HIDDEN)),
             "dropout": tune.uniform(0, 0.3)}
    tuner = tune.Tuner(
        tune.with_parameters(trainable, task=(train, held, cardinalities, deviation, int(epochs))), param_space=space,
        tune_config=tune.TuneConfig(metric="rmse", mode="min", num_samples=int(trials), max_concurrent_trials=2,
                                    scheduler=tune.schedulers.ASHAScheduler(max_t=int(epochs), grace_period=1,
                                                                            reduction_factor=3)),
        run_config=tune.RunConfig(verbose=0))
    results = tuner.fit()
    # The best of all epochs of a trial is its last report.
    best = results.get_best_result().metrics["rmse"]
    for name, value, unit in ((f"flights, {trials} random trials", time.perf_counter() - by_hand.BEGUN, "s"),
                              (f"flights, {trials} random trials, best rmse", best, "minutes")):
        print(json.dumps({"figure": name, "value": value, "unit": unit}), flush=True)


main()
