# SPDX-License-Identifier: Apache-2.0
"""How well jobs predict, beside scikit-learn: its own tables, and the made ones of `protium example`.

Each of our figures is there once a seed, or is the mean over folds; bench.py takes the median.
"""

import json
import os
import shutil
import subprocess
import sys

FOLDER = "build/bench/learned"
TABLES = {"breast_cancer": "auc", "wine": "accuracy", "iris": "accuracy", "diabetes": "rmse"}
SEEDS = range(1, 6)
UNITS = {"auc": "auc", "accuracy": "accuracy"}


class Learned:
    def __init__(self, binaries, python, figures_in):
        self.protium, self.python, self.figures_in = f"{binaries}/protium", python, figures_in

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done.stdout

    # What a job says in the end. Its run folder is kept for the peers, and replaced by the next run's.
    def job(self, job, data, seed=None, *settings):
        runs = os.path.join(FOLDER, "runs")
        shutil.rmtree(runs, ignore_errors=True)
        command = [self.protium, "run", job, "--set", f"data={data}", "--runs-dir", runs, "--json"]
        if seed is not None:
            settings += (f"train.seed={seed}", f"split.seed={seed}")
        for each in settings:
            command += ["--set", each]
        return json.loads(self.run(*command).strip().splitlines()[-1])

    def example(self, name):
        folder = f"examples/{name}/data"
        if not os.path.isdir(folder):
            self.run(self.protium, "example", name, folder)
        return folder

    # Both sides at once: the peers write the tables that our jobs read.
    def their_tables(self):
        return self.figures_in(self.run(self.python, "bench/peers/sklearn_tables.py", f"{FOLDER}/tables"))

    def our_tables(self):
        if not os.path.isdir(f"{FOLDER}/tables"):
            self.their_tables()
        for name, metric in TABLES.items():
            said = self.job(f"bench/tables/{name}.toml", f"{FOLDER}/tables")
            yield {"figure": f"{name}, {metric}", "value": said["search"]["value"], "unit": UNITS.get(metric, "")}

    def scored(self, seed):
        return f"{FOLDER}/visits-{seed}.parquet"

    def our_visits(self):
        data = self.example("visits")
        for seed in SEEDS:
            said = self.job("examples/visits/visits.toml", data, seed)
            os.replace(said["outputs"][0], self.scored(seed))
        return self.visits("ours")

    # The metrics of both sides are computed by the same lines.
    def visits(self, whose):
        return self.figures_in(self.run(self.python, "bench/peers/visits.py", whose,
                                        "examples/visits/data/visits.csv", *map(self.scored, SEEDS)))

    def their_visits(self):
        return self.visits("theirs")

    def our_digits(self):
        data = self.example("digits")
        for seed in SEEDS:
            test = self.job("examples/digits/digits.toml", data, seed)["metrics"]["test"]
            yield {"figure": "digits, accuracy", "value": test["accuracy"], "unit": "accuracy"}

    # Between the quantiles 0.1 and 0.9 lie 80 % of the flights.
    def our_intervals(self, job, tables):
        settings = ('loss={ name = "quantile", levels = [0.1, 0.9] }', 'train.metrics=["pinball", "coverage"]',
                    "train.best=pinball", "train.baseline=", "outputs.predictions.columns=[]")
        for seed in SEEDS:
            test = self.job(job, tables, seed, *settings)["metrics"]["test"]
            yield {"figure": "flights, covered by q10 to q90", "value": test["coverage"], "unit": ""}
