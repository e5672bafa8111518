# SPDX-License-Identifier: Apache-2.0
"""search_flights.py JOB TABLES TRIALS EPOCHS [OPTIONS]: the search of searched.py as one writes it without us:
the rows of by_hand.py, Optuna's TPE and its pruner by successive halving, two trials at a time in
threads, each with one thread of PyTorch. With OPTIONS, a file of JSON, the trials have these options.
"""

import json
import sys
import time
import tomllib

import by_hand
import optuna
import torch

HIDDEN = {"64": [64], "128,64": [128, 64], "256,128": [256, 128]}


def sides_of(job, folder):
    connection = by_hand.open_tables(job, folder, typed=False)
    by_hand.run_etl(connection, job)
    _, numbers, codes, cardinalities, label, train, held, _ = by_hand.prepare(connection, job)
    mean, deviation = float(label[train].mean(dtype="float64")), float(label[train].std(dtype="float64"))
    tensors = [torch.from_numpy(each) for each in (numbers, codes, (label - mean) / deviation)]
    return [[each[torch.from_numpy(rows)] for each in tensors] for rows in (train, held)], cardinalities, deviation


# Trains a net of these options; yields the best rmse so far after each epoch.
def curve(options, train, held, cardinalities, deviation, epochs):
    net = by_hand.make_net(cardinalities, train[0].shape[1], HIDDEN[options["hidden"]], options["dropout"])
    optimizer = torch.optim.Adam(net.parameters(), options["learning_rate"], weight_decay=options["weight_decay"])
    best = float("inf")
    for _ in range(epochs):
        by_hand.train_epoch(net, optimizer, *train, options["batch_size"])
        best = min(best, by_hand.rmse(by_hand.predict(net, *held[:2]), held[2]) * deviation)
        yield best


def objective_of(*task):
    def objective(trial):
        options = {"learning_rate": trial.suggest_float("learning_rate", 1e-4, 3e-2, log=True),
                   "weight_decay": trial.suggest_float("weight_decay", 1e-6, 1e-2, log=True),
                   "batch_size": trial.suggest_int("batch_size", 256, 2048, log=True),
                   "hidden": trial.suggest_categorical("hidden", list(HIDDEN)),
                   "dropout": trial.suggest_float("dropout", 0, 0.3)}
        for epoch, best in enumerate(curve(options, *task), 1):
            trial.report(best, epoch)
            if trial.should_prune():
                raise optuna.TrialPruned
        return best

    return objective


def main():
    path, folder, trials, epochs, *options = sys.argv[1:]
    with open(path, "rb") as file:
        job = tomllib.load(file)
    torch.set_num_threads(1)
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    (train, held), cardinalities, deviation = sides_of(job, folder)
    study = optuna.create_study(sampler=optuna.samplers.TPESampler(seed=1),
                                pruner=optuna.pruners.SuccessiveHalvingPruner(min_resource=1, reduction_factor=3))
    for given in options:
        with open(given, encoding="utf-8") as file:
            for each in json.load(file):
                study.enqueue_trial({**each, "hidden": ",".join(map(str, each["hidden"]))})
    study.optimize(objective_of(train, held, cardinalities, deviation, int(epochs)), n_trials=int(trials), n_jobs=2)
    same = "the same " if options else ""
    for name, value, unit in ((f"flights, {same}{trials} trials", time.perf_counter() - by_hand.BEGUN, "s"),
                              (f"flights, {same}{trials} trials, processor time", time.process_time(), "s"),
                              (f"flights, {same}{trials} trials, best rmse", study.best_value, "minutes")):
        print(json.dumps({"figure": name, "value": value, "unit": unit}), flush=True)


if __name__ == "__main__":
    main()
