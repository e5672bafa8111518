# SPDX-License-Identifier: Apache-2.0
"""A search over trees or net and their options, beside the defaults of either, on ten tables that come with wheels.

The rows of a split are tested on, which neither search nor defaults have seen; the search chooses by folds of
the others. Figures are means over splits.
"""

import json
import os
import shutil
import statistics

FOLDER = "build/bench/search-tables"
TABLES = ("iris", "wine", "breast_cancer", "digits", "diabetes", "fair", "anes96", "modechoice", "star98", "randhie")
TRIALS, FOLDS = 50, 3
SPLITS = range(1, 4)
KINDS = ("tree_estimator", "torch_estimator")
JOB = """
name = "{name}"
[tables]
rows = {{ csv = "{name}.csv" }}
[etl]
sql = "SELECT * FROM rows"
[split]
test = 0.3
by = ["row"]
[[pipeline]]
kind = "standard_scaler"
id = "scale"
inputs = {inputs}
[[pipeline]]
kind = "{kind}"
numeric = [{{ stage = "scale" }}]
label = "label"
loss = "{loss}"
[train]
metrics = ["{metric}"]
"""
# The first two trials have the defaults of either kind, but for a trace of weight decay.
SEARCH = f"""
[folds]
k = {FOLDS}
by = ["row"]

[search]
method = "tpe"
trials = {TRIALS}

[search.space]
kind = ["tree_estimator", "torch_estimator"]
"trees.rounds" = {{ log_int_uniform = [30, 400] }}
"trees.learning_rate" = {{ log_uniform = [0.01, 0.3] }}
"trees.leaves" = {{ log_int_uniform = [3, 63] }}
"trees.min_weight" = {{ log_uniform = [0.01, 20] }}
"train.epochs" = {{ log_int_uniform = [10, 100] }}
"train.batch_size" = [32, 128, 512]
"train.optimizer.learning_rate" = {{ log_uniform = [3e-4, 3e-2] }}
"train.optimizer.weight_decay" = {{ log_uniform = [1e-6, 1e-1] }}
"net.hidden" = [[16], [64], [64, 32], [128, 64]]
"net.dropout" = {{ uniform = [0, 0.5] }}

[[search.first]]
kind = "tree_estimator"
"trees.rounds" = 200
"trees.learning_rate" = 0.05
"trees.leaves" = 31
"trees.min_weight" = 1

[[search.first]]
kind = "torch_estimator"
"train.epochs" = 10
"train.batch_size" = 512
"train.optimizer.learning_rate" = 1e-3
"train.optimizer.weight_decay" = 1e-6
"net.hidden" = [128, 64]
"net.dropout" = 0
"""


class SearchTables:
    def __init__(self, binaries, python, run):
        self.protium, self.python, self.run = f"{binaries}/protium", python, run

    def made(self):
        tables = os.path.join(FOLDER, "tables")
        if not os.path.isfile(os.path.join(tables, "tables.json")):
            self.run([self.python, "bench/peers/search_tables.py", tables])
        with open(os.path.join(tables, "tables.json"), encoding="utf-8") as file:
            return tables, json.load(file)

    # The metric on the rows of the split.
    def tested(self, text, tables, metric, split):
        job, runs = os.path.join(FOLDER, "job.toml"), os.path.join(FOLDER, "runs")
        shutil.rmtree(runs, ignore_errors=True)
        with open(job, "w", encoding="utf-8") as file:
            file.write(text)
        said = self.run([self.protium, "run", job, "--runs-dir", runs, "--json", "--set", f"data={os.path.abspath(tables)}",
                         "--set", f"split.seed={split}"], env=dict(os.environ, PROTIUM_STORE="off", PROTIUM_POOL="off"))
        return json.loads(said.strip().splitlines()[-1])["metrics"]["test"][metric]

    def ours(self):
        tables, all_facts = self.made()
        for name, facts in all_facts.items():
            metric = facts["metric"]
            text = {kind: JOB.format(name=name, kind=kind, inputs=json.dumps(facts["inputs"]), loss=facts["loss"], metric=metric)
                    for kind in KINDS}
            sides = {"trees": text[KINDS[0]], "net": text[KINDS[1]], "search": text[KINDS[1]] + SEARCH}
            means = {side: statistics.mean(self.tested(job, tables, metric, split) for split in SPLITS)
                     for side, job in sides.items()}
            for side, mean in means.items():
                yield {"figure": f"{name}, {metric}, {side}", "value": mean, "unit": ""}
            yield {"figure": f"{name}, search / the better default", "value": means["search"] / min(means["trees"], means["net"]),
                   "unit": ""}
