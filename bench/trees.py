# SPDX-License-Identifier: Apache-2.0
"""Forests beside XGBoost, LightGBM and scikit-learn's HistGradientBoosting: how long they take, and how well
they predict. bench/README.md says what each figure is."""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import on_spark
import scale

FOLDER = "build/bench/trees"
JOB, SCORED_JOB = "bench/tables/trees.toml", "bench/tables/made_trees.toml"
FLIGHTS, FLIGHTS_TREES = "examples/flights/flights.toml", "bench/tables/flights_trees.toml"
ROWS, TEST_ROWS, FLIGHTS_ROWS = 1_000_000, 100_000, 5_000_000
FLIGHTS_SHAPE = ("100", "31")  # Trees and leaves, as in FLIGHTS_TREES.
PEERS = {"xgboost": "XGBoost", "lightgbm": "LightGBM", "sklearn": "HistGradientBoosting"}
TABLES = ("churn", "credit", "attrition", "loans", "hpc", "houses", "hotels", "wages")
FOLDS, SMALL_ROWS = 10, 20_000
MASTER = "local-cluster[2,1,4096]"
PATIENCE_S = 3600


def figure(name, value, unit):
    return {"figure": name, "value": value, "unit": unit}


class Trees:
    def __init__(self, binaries, python, figures_in, scored_rows):
        self.binaries, self.python, self.figures_in, self.scored_rows = binaries, python, figures_in, scored_rows

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done.stdout

    def peer(self, program, *arguments):
        return self.figures_in(self.run(self.python, f"bench/peers/{program}.py", *arguments))

    # The folder of tables with so many rows to learn from.
    def table(self, rows):
        folder = f"{FOLDER}/{rows}"
        os.makedirs(folder, exist_ok=True)
        for name, count, seed in (("train", rows, "1"), ("test", TEST_ROWS, "2")):
            if not os.path.exists(f"{folder}/{name}.parquet"):
                self.run(self.python, "bench/peers/trees.py", "table", f"{folder}/{name}.parquet", str(count), seed)
        return folder

    # What a job says in the end, with how long the command took and its peaks (scale.answers).
    def job(self, job, data, runs, **settings):
        chosen = [part for key, value in settings.items() for part in ("--set", f"{key.replace('__', '.')}={value}")]
        said = scale.answers([f"{self.binaries}/protium", "run", job, "--set", f"data={os.path.abspath(data)}", *chosen,
                              "--runs-dir", runs, "--json"])
        with open(f"{said['folder']}/result.json", encoding="utf-8") as result:
            return said | json.load(result)

    # `seconds` of fitting: cutting into bins is a part of it, as it is of the peers'.
    def fit(self, rows, workers):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as runs:
            said = self.job(JOB, self.table(rows), runs, gang__workers=workers)
            auc = self.peer("trees", "auc", f"{said['folder']}/predictions.parquet")[0]["value"]
        if abs(auc - said["metrics"]["test"]["auc"]) > 1e-6:
            sys.exit(f"bench: auc is {auc}, but the job says {said['metrics']['test']['auc']}")
        return said, auc

    def our_fit(self):
        said, auc = self.fit(ROWS, 2)
        for peer in PEERS.values():
            yield figure(f"1 M x 30, {peer}", said["seconds"]["train"], "s")
            yield figure(f"1 M x 30, auc, {peer}", auc, "auc")
        yield figure("1 M x 30, the whole command", said["wall"], "s")
        yield figure("1 M x 30, peak memory, driver", said["driver_bytes"] / scale.MEBI, "MiB")
        yield figure("1 M x 30, peak memory, a worker", said["worker_bytes"] / scale.MEBI, "MiB")

    def their_fit(self):
        folder = self.table(ROWS)
        for library, peer in PEERS.items():
            seconds, _, peak, auc = self.peer("trees", "fit", library, folder)
            yield figure(f"1 M x 30, {peer}", seconds["value"], "s")
            yield figure(f"1 M x 30, auc, {peer}", auc["value"], "auc")
            yield figure(f"1 M x 30, peak memory, {peer}", peak["value"], "MiB")

    def our_ranks(self):
        one, two = self.fit(ROWS, 1)[0], self.fit(ROWS, 2)[0]
        if one["weights_sha256"] != two["weights_sha256"]:
            sys.exit("bench: one worker and two made different forests")
        yield figure("1 worker : 2 workers", one["seconds"]["train"] / two["seconds"]["train"], "")

    # How time and memory grow with the rows.
    def our_growth(self, sizes):
        for rows in sizes:
            said, auc = self.fit(rows, 2)
            yield figure(f"{rows:,} rows, training", said["seconds"]["train"], "s")
            yield figure(f"{rows:,} rows, a row and tree", said["seconds"]["train"] / rows / 300 * 1e9, "ns")
            yield figure(f"{rows:,} rows, peak memory", (said["driver_bytes"] + 2 * said["worker_bytes"]) / scale.MEBI, "MiB")
            yield figure(f"{rows:,} rows, auc", auc, "auc")

    def their_growth(self, sizes):
        for rows in sizes:
            seconds, _, peak, auc = self.peer("trees", "fit", "lightgbm", self.table(rows))
            yield figure(f"{rows:,} rows, training", seconds["value"], "s")
            yield figure(f"{rows:,} rows, a row and tree", seconds["value"] / rows / 300 * 1e9, "ns")
            yield figure(f"{rows:,} rows, peak memory", peak["value"], "MiB")
            yield figure(f"{rows:,} rows, auc", auc["value"], "auc")

    # The flights job with trees for its pipeline, as a file beside the example's.
    def flights_job(self):
        with open(FLIGHTS, encoding="utf-8") as job, open(FLIGHTS_TREES, encoding="utf-8") as trees:
            text = job.read().split("[[pipeline]]")[0] + trees.read()
        path = f"{FOLDER}/flights.toml"
        os.makedirs(FOLDER, exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def flights_tables(self):
        return scale.Bench(self.binaries, self.python, FLIGHTS, None).tables(FLIGHTS_ROWS)

    def our_flights(self):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as runs:
            said = self.job(self.flights_job(), self.flights_tables(), runs)
        yield from flights_figures(said["wall"], said["metrics"]["test"]["rmse"], scale.rows_of(said),
                                   said["driver_bytes"] + 2 * said["worker_bytes"])

    def their_flights(self):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as out:
            said = scale.answers([self.python, "bench/peers/by_hand.py", "trees", FLIGHTS, self.flights_tables(), out,
                                  *FLIGHTS_SHAPE])
        yield from flights_figures(said["seconds"], said["rmse"], said["rows"], said["driver_bytes"])

    # Both with executors of one core and 4 GiB; a small training comes first on both sides. Ours asks a
    # Spark Connect server, the peer needs a Spark of its own.
    def our_spark(self):
        with on_spark.Server(MASTER) as server, tempfile.TemporaryDirectory(prefix="protium-bench-") as runs:
            small = self.job(JOB, self.table(SMALL_ROWS), runs, engine__address=server.address)
            said = self.job(JOB, self.table(ROWS), runs, engine__address=server.address)
            auc = self.peer("trees", "auc", f"{said['folder']}/predictions.parquet")[0]["value"]
        if not auc > small["metrics"]["test"]["auc"]:
            sys.exit(f"bench: trees on Spark learned nothing: auc {auc}")
        seconds = said["seconds"]
        yield figure("trees on Spark, training", seconds["train"], "s")
        parts = [seconds.get(part, 0) for part in ("etl", "fit", "train", "score")]
        yield figure("trees on Spark, after the session's start", sum(parts), "s")
        yield figure("trees on Spark, auc", auc, "auc")

    def their_spark(self):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as out:
            yield from self.peer("xgboost_spark", MASTER, self.table(ROWS), f"{out}/scored")
            auc = self.peer("trees", "auc", f"{out}/scored")[0]
            yield dict(auc, figure="trees on Spark, auc")

    # Trained once: ours, and LightGBM's of the same rows and shape.
    def model(self):
        data = os.path.dirname(self.scored_rows(200_000, "made"))
        if not os.path.isdir(f"{FOLDER}/runs"):
            self.run(f"{self.binaries}/protium", "run", SCORED_JOB, "--set", f"data={os.path.abspath(data)}",
                     "--runs-dir", f"{FOLDER}/runs")
        return f"{FOLDER}/runs/{sorted(os.listdir(f'{FOLDER}/runs'))[-1]}/model"

    def our_scores(self, rows):
        path, model = self.scored_rows(rows), self.model()
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as out:
            begun = time.perf_counter()
            said = json.loads(self.run(f"{self.binaries}/protium", "predict", "--model", model, "--input", path,
                                       "--output", f"{out}/scored.parquet", "--json"))
            seconds = time.perf_counter() - begun
            if said["rows_out"] != rows:
                sys.exit(f"bench: predict wrote {said['rows_out']} rows")
            yield figure("forest, predict 10 M rows", seconds, "s")
            yield from self.peer("trees", "off", f"{out}/scored.parquet")
        row = {f"x{i}": 5 + i / 4 for i in range(16)}
        for one in self.figures_in(self.run(f"{self.binaries}/bench_row", model, json.dumps(row))):
            yield dict(one, figure=f"forest, {one['figure']}")

    def their_scores(self, rows):
        model = f"{FOLDER}/lightgbm.txt"
        if not os.path.exists(model):
            self.run(self.python, "bench/peers/trees.py", "learn", self.scored_rows(200_000, "made"), model)
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as out:
            yield from self.peer("trees", "score", model, self.scored_rows(rows), f"{out}/scored.parquet")
            yield from self.peer("trees", "off", f"{out}/scored.parquet")

    # The mean over ten folds of each table, and the mean of the ranks among all four.
    def our_tables(self):
        folder = f"{FOLDER}/tables"
        self.run(self.python, "bench/peers/wheel_tables.py", "write", folder)
        for name in TABLES:
            values, metric = [], None
            for fold in range(FOLDS):
                with tempfile.TemporaryDirectory(prefix="protium-bench-") as runs:
                    test = self.job(f"{folder}/{name}.toml", folder, runs,
                                    etl__sql=f"SELECT *, fold = {fold} AS held_out FROM rows")["metrics"]["test"]
                metric = next(each for each in ("auc", "accuracy", "rmse") if each in test)
                values.append(test[metric])
            yield figure(f"{name}, {metric}", statistics.mean(values), metric)

    def tables(self, peers):
        found = {"ours": {one["figure"]: one["value"] for one in self.our_tables()}}
        for library in PEERS if peers else ():
            for one in self.peer("wheel_tables", "fit", f"{FOLDER}/tables", library, str(FOLDS)):
                found.setdefault(PEERS[library], {})[one["figure"].rsplit(", ", 1)[0]] = one["value"]
        return found


def flights_figures(seconds, rmse, rows, peak):
    yield figure("flights with trees, 5 M rows", seconds, "s")
    yield figure("flights with trees, rmse", rmse, "")
    yield figure("flights with trees, rows", rows, "")
    yield figure("flights with trees, peak memory", peak / scale.MEBI, "MiB")


# {side: {figure: value}}: of each side the mean of its ranks over all figures, the best being 1.
def mean_ranks(found):
    ranks = {side: [] for side in found}
    for name in found["ours"]:
        downwards = not name.endswith("rmse")
        for side in found:
            better = sum((other[name] > found[side][name]) == downwards and other[name] != found[side][name]
                         for other in found.values())
            same = sum(other[name] == found[side][name] for other in found.values())
            ranks[side].append(1 + better + (same - 1) / 2)
    return {side: statistics.mean(each) for side, each in ranks.items()}


def print_tables(found):
    sides = list(found)
    print(f"{'':30}" + "".join(f"{side:>22}" for side in sides))
    for name in found["ours"]:
        print(f"{name:30}" + "".join(f"{found[side][name]:>22.5g}" for side in sides))
    print(f"{'mean rank':30}" + "".join(f"{each:>22.3g}" for each in mean_ranks(found).values()), flush=True)
