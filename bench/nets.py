# SPDX-License-Identifier: Apache-2.0
"""The net that `protium init --estimator net` writes for a table, beside scikit-learn's linear models and MLPs
and pytabkit's RealMLP_TD_S, on the tables of trees.py. bench/README.md says what each figure is."""

import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

import trees

# A pip that has it may be named; it is none of the peers' packages: PyTorch, Lightning and more come with it.
PYTABKIT = os.environ.get("PROTIUM_BENCH_PYTABKIT", ".deps/peers-nets/bin/python")
FOLDER = f"{trees.FOLDER}/tables"
PEERS = {"linear": "linear model", "mlp": "MLP", "realmlp": "RealMLP_TD_S"}
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
TIME = "processor time"


def children_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Nets:
    def __init__(self, binaries, python, figures_in):
        self.protium, self.python, self.figures_in = f"{binaries}/protium", python, figures_in

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=trees.PATIENCE_S, check=False,
                              env=os.environ | ONE_THREAD)
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done.stdout

    # `init` sees the table without its folds; the job that it writes then learns from nine folds of ten.
    def job(self, name):
        path = f"{FOLDER}/net/{name}.toml"
        self.run(self.protium, "init", f"{FOLDER}/net/{name}.parquet", "--label", "label", "--estimator", "net", "--output",
                 path, "--force")
        return path

    # {"metrics": ...} of one fold and the processor seconds of the whole command.
    def fold(self, name, job, fold):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as runs:
            begun = children_seconds()
            said = self.run(self.protium, "run", job, "--set", f"data={os.path.abspath(FOLDER)}",
                            "--set", f"etl.sql=SELECT *, fold = {fold} AS held_out FROM {name}",
                            "--set", 'split={ column = "held_out" }', "--set", "gang.workers=1", "--runs-dir", runs, "--json")
            return json.loads(said.strip().splitlines()[-1])["metrics"]["test"], children_seconds() - begun

    def ours(self, name, metric, folds):
        job = self.job(name)
        each = [self.fold(name, job, fold) for fold in range(folds)]
        return {metric: statistics.mean(test[metric] for test, _ in each), TIME: statistics.mean(used for _, used in each)}

    def theirs(self, name, metric, library, folds):
        python = PYTABKIT if library == "realmlp" else self.python
        said = self.figures_in(self.run(python, "bench/peers/wheel_tables.py", "fit", FOLDER, library, str(folds), name))
        return dict(zip((metric, TIME), (one["value"] for one in said)))

    # Prints a line a table as soon as it is there, and the mean ranks in the end.
    def print_tables(self, folds, peers):
        written = self.figures_in(self.run(self.python, "bench/peers/wheel_tables.py", "write", FOLDER))
        found = {}
        libraries = [each for each in PEERS if peers and (each != "realmlp" or os.path.exists(PYTABKIT))]
        print(f"{'':22}{'ours':>12}" + "".join(f"{PEERS[each]:>14}{'time':>8}" for each in libraries))
        for table in written:
            name, metric = table["table"], table["metric"]
            ours = self.ours(name, metric, folds)
            found.setdefault("ours", {})[f"{name}, {metric}"] = ours[metric]
            line = f"{name + ', ' + metric:22}{ours[metric]:>12.5g}"
            for library in libraries:
                theirs = self.theirs(name, metric, library, folds)
                found.setdefault(library, {})[f"{name}, {metric}"] = theirs[metric]
                line += f"{theirs[metric]:>14.5g}{ours[TIME] / theirs[TIME]:>7.2f}x"
            print(f"{line}   {ours[TIME]:.1f} s", flush=True)
        ranks = trees.mean_ranks(found)
        print(f"{'mean rank':22}{ranks['ours']:>12.3g}" + "".join(f"{ranks[each]:>14.3g}{'':8}" for each in libraries))
        if peers and "realmlp" not in libraries:
            print(f"RealMLP_TD_S is left out: pytabkit is not in {PYTABKIT}; bench/README.md says how to get it")
