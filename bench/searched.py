# SPDX-License-Identifier: Apache-2.0
"""Searches beside Optuna: the best of 100 trials on published functions, and a search of the flights job."""

import csv
import json
import os
import resource
import tempfile

FUNCTIONS = ("sphere5", "rosenbrock4", "rastrigin4", "ackley5", "branin", "hartmann6", "levy4", "styblinski4", "griewank4",
             "michalewicz5")
TRIALS, EPOCHS = 64, 27
# What both sides vary. With 27 epochs, trials are compared after 1, 3 and 9.
SPACE = """
[search]
trials = %d

[search.space]
"train.optimizer.learning_rate" = { log_uniform = [1e-4, 3e-2] }
"train.optimizer.weight_decay" = { log_uniform = [1e-6, 1e-2] }
"train.batch_size" = { log_int_uniform = [256, 2048] }
"net.hidden" = [[64], [128, 64], [256, 128]]
"net.dropout" = { uniform = [0, 0.3] }
""" % TRIALS
ASHA = ("search.prune=asha", "search.grace=1")
# Both sides hold out the same days: without this each would have its own, and their errors could not be compared.
SAME_ROWS = (("FROM legs l\n", """, (l.day * 337 + l.month * 7127) % 1000 < 200 AS tested, (l.day * 7919 + l.month * 613) % 1000 < 100 AS held
FROM legs l
"""),
             ('[split]\nby   = ["year", "month", "day"]', '[split]\ncolumn = "tested"'), ("\ntest = 0.2\nseed = 7\n", "\n"),
             ('{ share = 0.1, by = ["year", "month", "day"] }', '{ column = "held" }'))


# Both lists pooled and sorted: the sums of their ranks, equal values in the middle.
def sums_of_ranks(ours, theirs):
    pooled = sorted(ours + theirs)
    rank = {value: pooled.index(value) + (pooled.count(value) + 1) / 2 for value in pooled}
    return [sum(rank[value] for value in values) for values in (ours, theirs)]


# The options of a search's trials, by the last parts of their paths.
def trials_of(run_folder):
    with open(os.path.join(run_folder, "trials.csv"), encoding="utf-8", newline="") as file:
        return [{path.rpartition(".")[2]: json.loads(each[path]) for path in each if path.startswith(("train.", "net."))}
                for each in csv.DictReader(file)]


# Until the last trial has ended: the fit of the best one on all rows and its scores, which no peer makes, come after.
def until_last_trial(said):
    seconds = said["seconds"]
    return seconds["total"] - seconds["train"] - seconds["score"]


class Searched:
    def __init__(self, binaries, python, job, run, figures_in):
        self.binaries, self.python, self.job_file, self.run, self.figures_in = binaries, python, job, run, figures_in
        self.all = {}
        self.trials = []  # The options of our last search of the flights job, for the peer.

    # Of one thread on both sides.
    def figures(self, *command):
        return self.figures_in(self.run(list(command), env=dict(os.environ, OMP_NUM_THREADS="1")))

    def kept(self, side, figures):
        self.all[side] = {one["figure"]: one["all"] for one in figures if "all" in one}
        return figures

    def ours(self):
        return self.kept("ours", self.figures(f"{self.binaries}/bench_search"))

    def theirs(self):
        return self.kept("theirs", self.figures(self.python, "bench/peers/search.py"))

    def of_hyperopt(self):
        return self.kept("theirs", self.figures(self.python, "bench/peers/search_hyperopt.py"))

    # Of each function the ranks of all runs, 1 is the best, added up; less is better.
    def ranks(self):
        pairs = [sums_of_ranks(self.all["ours"][name], self.all["theirs"][name]) for name in self.all["theirs"]]
        return [[{"figure": "sum of ranks", "value": sum(sides), "unit": ""}] for sides in zip(*pairs)]

    def write_job(self, path):
        with open(self.job_file, encoding="utf-8") as file:
            text = file.read() + SPACE
        for ours, same in SAME_ROWS:
            if text.count(ours) != 1:
                raise SystemExit(f"bench: {self.job_file} does not have {ours!r} once")
            text = text.replace(ours, same)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    # What a search of the flights job says in the end, and the processor time of all its processes. Its gangs
    # have a worker each, two at a time, and the last fit has both cores.
    def search(self, tables, folder, *settings):
        job = self.write_job(os.path.join(folder, "search.toml"))
        command = [f"{self.binaries}/protium", "run", job, "--runs-dir", os.path.join(folder, "runs"), "--json"]
        for each in (f"data={os.path.abspath(tables)}", f"train.epochs={EPOCHS}", "gang.workers={min=1,max=2}", *settings):
            command += ["--set", each]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        said = self.run(command, env=dict(os.environ, PROTIUM_STORE="off", PROTIUM_POOL="off"))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        return json.loads(said.strip().splitlines()[-1]), spent

    def random_asha(self, tables, folder):
        return self.search(tables, folder, "search.method=random", *ASHA)

    def our_random_flights(self, tables):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
            said, _ = self.random_asha(tables, folder)
        return [{"figure": f"flights, {TRIALS} random trials", "value": until_last_trial(said), "unit": "s"},
                {"figure": f"flights, {TRIALS} random trials, best rmse", "value": said["search"]["value"], "unit": "minutes"}]

    def of_ray(self, tables):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
            job = self.write_job(os.path.join(folder, "search.toml"))
            return self.figures(self.python, "bench/peers/search_ray.py", job, tables, str(TRIALS), str(EPOCHS))

    # Random trials are the same with and without pruning; those of tpe beside Optuna's.
    def our_flights(self, tables):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
            whole, whole_spent = self.search(tables, folder, "search.method=random")
            some, some_spent = self.random_asha(tables, folder)
            tpe, tpe_spent = self.search(tables, folder, "search.method=tpe", *ASHA)
            self.trials = trials_of(tpe["folder"])
        for name, value, unit in (
                (f"flights, {TRIALS} trials, and the model of the best on all rows", tpe["seconds"]["total"], "s"),
                ("random, all epochs", whole["seconds"]["total"], "s"),
                ("random, asha", some["seconds"]["total"], "s"),
                ("asha / all epochs, time", some["seconds"]["total"] / whole["seconds"]["total"], ""),
                ("asha / all epochs, processor time", some_spent / whole_spent, ""),
                ("asha / all epochs, best rmse", some["search"]["value"] / whole["search"]["value"], ""),
                *((f"flights, {whose} trials{what}", value, unit) for whose in (TRIALS, f"the same {TRIALS}") for what, value, unit in (
                    ("", until_last_trial(tpe), "s"), (", processor time", tpe_spent, "s"),
                    (", best rmse", tpe["search"]["value"], "minutes")))):
            yield {"figure": name, "value": value, "unit": unit}

    # Its own trials, and then those of our last search.
    def their_flights(self, tables):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
            job, trials = self.write_job(os.path.join(folder, "search.toml")), os.path.join(folder, "trials.json")
            with open(trials, "w", encoding="utf-8") as file:
                json.dump(self.trials, file)
            command = [self.python, "bench/peers/search_flights.py", job, tables, str(TRIALS), str(EPOCHS)]
            return self.figures(*command) + self.figures(*command, trials)
