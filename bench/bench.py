# SPDX-License-Identifier: Apache-2.0
"""bench.py [--ours] [--scale S] [--rows N]... [--memory SIZE] [NAME...]: our figures beside the peers', measured in turn in one run.

Every program prints figures as JSON lines and checks the answer it computed. The table gives the
medians of all rounds, and how many times better ours is.
"""

import argparse
import csv
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import asynchronous
import clicks
import elastic
import learned
import nets
import on_spark
import predict
import scale
import scale_spark
import search_tables
import searched
import serve
import serverless
import sources
import streams
import topics

BIN = os.environ.get("PROTIUM_BENCH_BIN", "build/release/bin")
PYTHON = os.environ.get("PROTIUM_BENCH_PYTHON", ".deps/peers/bin/python")
HOROVOD = ".deps/peers-horovod/bin/python"
HOROVODRUN = [HOROVOD, "-m", "horovod.runner.launch", "--gloo", "-np", "2", "-H", "localhost:2"]
TORCHRUN = [PYTHON, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
TCP_WORLDS = (2, 4)
BESIDE_HOROVOD = "Horovod"
JOB = "examples/flights/flights.toml"
REAL_TABLES = "../shared/data/nycflights"
MADE_TABLES = "examples/flights/data"
STORES, STORES_TABLES = "examples/stores/stores.toml", "examples/stores/data"
ONE_CORE = ["taskset", "-c", "0"]

# What a figure must reach: at least so many times the peer, at most or least so much, or what the
# peer reaches but for so much.
TIMES, AT_MOST, AT_LEAST, SHORT_BY = "x", "<=", ">=", "short of the peer by at most"
GOALS = {
    "PostgreSQL, 5 M rows packed": [(TIMES, 0.8)],
    "S3, 4 of 40 columns packed": [(TIMES, 0.8)],
    "S3, bytes read / bytes of 4 columns": [(AT_MOST, 1.2)],
    "answer --help": [(AT_MOST, 50)],
    "answer a misspelt key": [(AT_MOST, 50)],
    "flights, first step": [(AT_MOST, 2)],
    "flights job": [(TIMES, 8)],
    "stores job": [(TIMES, 8)],
    "predict 10 M rows": [(TIMES, 3)],
    "predict in int8 / in float32, rate": [(AT_LEAST, 1.5)],
    "one row, Arrow": [(AT_MOST, 200)],
    "one row, JSON": [(AT_MOST, 200)],
    "serve 2,000 rows/s, p99": [(AT_MOST, 10)],
    "step 67-128-64-1": [(TIMES, 1.8)],
    "step 300-1000-1000-1000-500-1": [(TIMES, 1.0)],
    "a module / the kernels": [(AT_MOST, 1.6)],
    "large net, a checkpoint a second": [(AT_MOST, 2)],
    "fit 1 M x 30, MLPClassifier": [(TIMES, 4)],
    "fit 1 M x 30, Lightning": [(TIMES, 3)],
    "step cnn 28x28": [(TIMES, 1.1)],
    "200 of 1 KiB together / 200 KiB": [(AT_MOST, 2)],
    "all-reduce 4 KiB": [(TIMES, 10)],
    "all-reduce 256 KiB": [(TIMES, 10)],
    "all-reduce 16 MiB": [(TIMES, 3)],
    "all-reduce 100 MB": [(TIMES, 2)],
    "feeding, first epoch": [(AT_LEAST, 2)],
    "gang of 4, true": [(AT_MOST, 50)],
    "feeding, later epochs": [(AT_LEAST, 12)],
    "EachBatch / copied": [(AT_LEAST, 0.25)],
    "fed / read alone": [(AT_LEAST, 0.3)],
    "2 x float64, stock mapInArrow": [(TIMES, 2.2)],
    "2 x float64, mapInArrow, our settings": [(TIMES, 1.0)],
    "2 x float64, pandas UDF, our settings": [(TIMES, 1.4)],
    "200 x float32, stock mapInArrow": [(TIMES, 1.4)],
    "200 x float32, mapInArrow, our settings": [(TIMES, 1.0)],
    "200 x float32, mapInPandas, our settings": [(TIMES, 1.4)],
    "400 MB to 2 ranks, files : stream": [(TIMES, 2)],
    "first task, program known": [(AT_MOST, 0.3), (TIMES, 2.5)],
    "first task, program new": [(AT_MOST, 2)],
    "first task, LibTorch known": [(AT_MOST, 0.6)],
    "first task, LibTorch new": [(AT_MOST, 10)],
    "flights, after the session's start": [(TIMES, 2.5)],
    "ask after 1,000 trials": [(AT_MOST, 0.2)],
    "sum of ranks": [(TIMES, 1)],
    "flights, 64 trials": [(TIMES, 3)],
    "flights, the same 64 trials": [(TIMES, 3)],
    "flights, 64 random trials": [(TIMES, 3)],
    "asha / all epochs, time": [(AT_MOST, 0.4)],
    "asha / all epochs, best rmse": [(AT_MOST, 1.01)],
    "breast_cancer, auc": [(SHORT_BY, 0.003)],
    "visits, auc": [(SHORT_BY, 0.01)],
    "visits, calibration": [(AT_MOST, 0.02)],
    "digits, accuracy": [(AT_LEAST, 0.98)],
    "16 numbers, folder to folder": [(TIMES, 5)],
    "2,000 rows/s, folder, p99": [(AT_MOST, 50), (TIMES, 10)],
    "16 numbers, topic to topic": [(TIMES, 5)],
    "2,000 rows/s, topic, at least once, p99": [(AT_MOST, 50), (TIMES, 10)],
    "2,000 rows/s, topic, transactions, p99": [(AT_MOST, 100), (TIMES, 10)],
    "replay / predict, rate": [(AT_LEAST, 0.7)],
    "made again by verify / predict, rate": [(AT_LEAST, 0.7)],
    "a day of small files, memory after / at a tenth": [(AT_MOST, 1.1)],
    "a day of small files, more open files": [(AT_MOST, 0)],
    "flights, covered by q10 to q90": [(AT_LEAST, 0.78), (AT_MOST, 0.82)],
}
GOALS |= {f"{name}, best of 100": [(TIMES, 1)] for name in searched.FUNCTIONS}
GOALS |= {f"{name}, search / the better default": [(AT_MOST, 1)] for name in search_tables.TABLES}
for peer, times in (("GNU sort", 1.5), ("DuckDB", 0.95), ("Spark local[2]", 2.5), ("Spark local-cluster", 2.5), ("Ray Data", 1)):
    GOALS |= {f"sort to {form}, {peer}": [(TIMES, times)] for form in ("csv", "parquet", "csv within 1 GB")}
GOALS |= {
    "Q77, whole process": [(TIMES, 1 / 1.3)],
    "Q77, Spark": [(TIMES, 5)],
    "queries answered as DuckDB does": [(AT_LEAST, serverless.QUERIES)],
    "runs for each epoch / one run": [(AT_MOST, 1.05)],
    "flights, first step of the second run": [(AT_MOST, 120)],
    "5 M flights, second / first": [(AT_MOST, 0.25)],
    "flights, first step with all kept and warm": [(AT_MOST, 120)],
    "pool, attach": [(AT_MOST, 1)],
    "pool, gang of 4, all have spoken": [(AT_MOST, 5)],
    "find an object": [(AT_MOST, 50)],
    "two equal jobs at once, longer / shorter": [(AT_MOST, 1.1)],
}
GOALS |= {f"{name}, serverless / dedicated": [(AT_MOST, 1.05)] for name in ("sort", "Q77", "learning")}
for world in elastic.WORLDS:
    GOALS |= {f"kill to next step, {world} workers": [(AT_MOST, 100)], f"a worker joins, {world} workers": [(AT_MOST, 20)],
              f"worst of {elastic.KILLS}, {world} workers": [(AT_MOST, 300)], f"steps lost, {world} workers": [(AT_MOST, 1)]}
GOALS |= {f"all-reduce {size}, {BESIDE_HOROVOD}": [(TIMES, 3)]
          for size in ("4 KiB", "200 KiB", "256 KiB", "16 MiB", "100 MB", "200 of 1 KiB together")}
GOALS |= {f"all-reduce {size}, {world} over TCP": [(TIMES, 1.5)]
          for size in ("256 KiB", "16 MiB", "100 MB") for world in TCP_WORLDS}
MORE_IS_BETTER = {"M rows/s", "auc", "accuracy"}


def figure(name, value, unit):
    return {"figure": name, "value": value, "unit": unit}


def run(command, **settings):
    done = subprocess.run(command, capture_output=True, text=True, timeout=1800, check=False, **settings)
    if done.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout


def figures_in(text):
    # Some launchers put the rank before each line.
    lines = [line for line in text.splitlines() if '{"figure"' in line]
    return [json.loads(line[line.index('{"figure"'):]) for line in lines]


def tables():
    return REAL_TABLES if os.path.isdir(REAL_TABLES) else MADE_TABLES


# Milliseconds until a command that must end with `code` has ended: the median of many.
def answer_ms(command, code):
    times = []
    for _ in range(20):
        begun = time.perf_counter()
        done = subprocess.run(command, capture_output=True, check=False)
        times.append((time.perf_counter() - begun) * 1e3)
        if done.returncode != code:
            sys.exit(f"bench: {' '.join(command)} ended with {done.returncode}, not {code}")
    return statistics.median(times)


def our_answers():
    protium = f"{BIN}/protium"
    yield figure("answer --help", answer_ms([protium, "--help"], 0), "ms")
    yield figure("answer a misspelt key", answer_ms([protium, "run", JOB, "--set", "train.epoch=1"], 2), "ms")
    yield figure("gang of 4, true", answer_ms([protium, "gang", "--workers", "4", "true"], 0), "ms")


# What a job says in the end.
def run_job(job, data):
    with tempfile.TemporaryDirectory(prefix="protium-bench-") as runs:
        said = run([f"{BIN}/protium", "run", job, "--set", f"data={data}", "--runs-dir", runs, "--json"])
    return json.loads(said.strip().splitlines()[-1])


def our_flights():
    result = run_job(JOB, tables())
    test, line = result["metrics"]["test"], result["metrics"]["baseline"]
    if not (test["rows"] > 0 and test["rmse"] < line["rmse"]):
        sys.exit(f"bench: the flights job learned nothing: {test} against {line}")
    yield figure("flights job", result["seconds"]["total"], "s")
    yield figure("flights, first step", result["seconds"]["first_step"], "s")


def peer_flights(*address):
    with tempfile.TemporaryDirectory(prefix="protium-bench-") as scratch:
        figures = figures_in(run([PYTHON, "bench/peers/spark_job.py", JOB, tables(), scratch, *address]))
        return figures if address else [one for one in figures if one["figure"] == "flights job"]


# The mean of a shop on a weekday is off by as much: root mean square of the relative error over the
# days that the job holds out.
def naive_rmspe(folder, first_held_out):
    known, held_out = {}, []
    with open(f"{folder}/sales.csv", encoding="ascii") as sales:
        for row in csv.DictReader(sales):
            if row["open"] != "1":
                continue
            day = (row["store"], row["weekday"])
            if row["date"] >= first_held_out:
                held_out.append((day, float(row["sales"])))
            else:
                total, days = known.get(day, (0, 0))
                known[day] = (total + float(row["sales"]), days + 1)
    off = [known[day][0] / known[day][1] / sold - 1 for day, sold in held_out if day in known]
    return math.sqrt(sum(one * one for one in off) / len(off))


def stores_tables():
    if not os.path.isdir(STORES_TABLES):
        run([f"{BIN}/protium", "example", "stores", STORES_TABLES])
    return STORES_TABLES


def our_stores():
    folder = stores_tables()
    result = run_job(STORES, folder)
    ours, naive = result["metrics"]["test"]["rmspe"], naive_rmspe(folder, "2015-06-14")
    if not ours < naive * 2 / 3:
        sys.exit(f"bench: the stores job learned too little: rmspe {ours} against {naive}")
    yield figure("stores job", result["seconds"]["total"], "s")
    yield figure("stores, rmspe", ours, "")
    yield figure("stores, rmspe of means per store and weekday", naive, "")


def peer_stores():
    with tempfile.TemporaryDirectory(prefix="protium-bench-") as scratch:
        figures = figures_in(run([PYTHON, "bench/peers/spark_job.py", STORES, stores_tables(), scratch]))
        return [one for one in figures if one["figure"] == "stores job"]


def program(*command, threads=None):
    environment = dict(os.environ, **({"OMP_NUM_THREADS": str(threads)} if threads else {}))
    return lambda: figures_in(run(list(command), env=environment))


def our_tcp():
    return [one for world in TCP_WORLDS for one in program(f"{BIN}/bench_allreduce", "tcp", str(world))()]


def peer_tcp():
    return [one for world in TCP_WORLDS
            for one in program(*TORCHRUN[:-1], str(world), "bench/peers/gloo_allreduce.py",
                               f", {world} over TCP", threads=1)()]


# The same figures under names of their own: another peer, other goals.
def beside_horovod(figures):
    return [dict(one, figure=f"{one['figure']}, {BESIDE_HOROVOD}") for one in figures]


def our_horovod():
    ours = list(program(f"{BIN}/bench_allreduce")())
    value = {one["figure"]: one["value"] for one in ours}
    together = value["all-reduce 200 of 1 KiB together"]
    ours = [one for one in ours if one["figure"].startswith("all-reduce") and not one["figure"].endswith("in turn")]
    return [*beside_horovod(ours), figure("200 of 1 KiB together / 200 KiB", together / value["all-reduce 200 KiB"], "")]


def peer_horovod():
    command = [*HOROVODRUN, os.path.abspath(HOROVOD), "bench/peers/horovod_allreduce.py"]
    return beside_horovod(figures_in(run(command, env=dict(os.environ, OMP_NUM_THREADS="1"))))


def our_map():
    with tempfile.TemporaryDirectory(prefix="protium-bench-") as runs:
        return program(f"{BIN}/bench_map", "run", "--runs-dir", runs)()


def our_checkpoints():
    with tempfile.TemporaryDirectory(prefix="protium-bench-", dir="build/bench") as folder:
        return program(f"{BIN}/bench_step", "checkpoints", f"{folder}/run", threads=1)()


CLICKS = clicks.Clicks(BIN, TORCHRUN, figures_in)
ASYNCHRONOUS = asynchronous.Asynchronous(CLICKS)
LEARNED = learned.Learned(BIN, PYTHON, figures_in)
ELASTIC = elastic.Elastic(BIN, PYTHON, HOROVOD, JOB, tables)
PREDICT = predict.Predict(BIN, PYTHON, figures_in)
SOURCES = sources.Sources(BIN, PYTHON, figures_in)
SEARCHED = searched.Searched(BIN, PYTHON, JOB, run, figures_in)
SEARCH_TABLES = search_tables.SearchTables(BIN, PYTHON, run)
SERVE = serve.Serve(BIN, PYTHON, figures_in, PREDICT.model)
STREAMS = streams.Streams(BIN, PYTHON, figures_in, PREDICT)
TOPICS = topics.Topics(BIN, STREAMS)
ROWS = "build/bench/rows.parquet"
# name: (rounds, ours, the peer's, the peer's name)
BENCHES = {
    "start": (1, our_answers, None, ""),
    "allreduce": (3, program(f"{BIN}/bench_allreduce"),
                  program(*TORCHRUN, "bench/peers/gloo_allreduce.py", threads=1), "Gloo"),
    "horovod": (3, our_horovod, peer_horovod, "Horovod"),
    "tcp": (3, our_tcp, peer_tcp, "Gloo"),
    "feed": (3, program(*ONE_CORE, f"{BIN}/bench_feed", ROWS),
             program(*ONE_CORE, PYTHON, "bench/peers/data_loader.py", ROWS), "DataLoader"),
    "map": (1, our_map, None, ""),
    "spill": (1, program(f"{BIN}/bench_spill", "build/bench"), None, ""),
    "step": (5, program(f"{BIN}/bench_step", threads=1),
             program(*TORCHRUN, "bench/peers/ddp_step.py", threads=1), "DDP, Gloo"),
    "checkpoints": (3, our_checkpoints, None, ""),
    "elastic": (1, ELASTIC.ours, ELASTIC.theirs, "torchrun"),
    "elastic-horovod": (1, lambda: beside_horovod(ELASTIC.ours()), lambda: beside_horovod(ELASTIC.of_horovod()),
                        "Horovod Elastic"),
    "flights": (3, our_flights, peer_flights, "PySpark + TorchDistributor"),
    "stores": (1, our_stores, peer_stores, "PySpark + TorchDistributor"),
    "predict": (1, PREDICT.ours, PREDICT.theirs, "ONNX Runtime"),
    "sources": (1, SOURCES.ours, SOURCES.theirs, "DuckDB, pandas"),
    "serve": (1, SERVE.ours, SERVE.theirs, "FastAPI + PyTorch"),
    "classifier": (1, program("env", "PYTHONPATH=python", "PROTIUM_HOME=build/release", PYTHON,
                              "bench/peers/classifier.py", "ours"),
                   program(PYTHON, "bench/peers/classifier.py", "theirs"), "scikit-learn and Lightning"),
    "tables": (1, LEARNED.our_tables, LEARNED.their_tables, "scikit-learn's linear models"),
    "visits": (1, LEARNED.our_visits, LEARNED.their_visits, "HistGradientBoostingClassifier"),
    "clicks": (1, CLICKS.ours, CLICKS.theirs, "DDP, Gloo, sparse embeddings"),
    "asynchronous": (1, ASYNCHRONOUS.ours, None, ""),
    "search": (1, SEARCHED.ours, SEARCHED.theirs, "Optuna"),
    "search-flights": (1, lambda: SEARCHED.our_flights(tables()), lambda: SEARCHED.their_flights(tables()), "Optuna + PyTorch"),
    "search-hyperopt": (1, SEARCHED.ours, SEARCHED.of_hyperopt, "Hyperopt"),
    "search-ray": (1, lambda: SEARCHED.our_random_flights(tables()), lambda: SEARCHED.of_ray(tables()), "Ray Tune + PyTorch"),
    "search-tables": (1, SEARCH_TABLES.ours, None, ""),
    "streams": (1, STREAMS.ours, STREAMS.theirs, "Spark, pandas UDF, ONNX Runtime"),
    "streams-day": (1, STREAMS.soak, None, ""),
    "streams-topics": (1, TOPICS.ours, TOPICS.theirs, "Spark, pandas UDF, ONNX Runtime"),
    "digits": (1, LEARNED.our_digits, None, ""),
    "intervals": (1, lambda: LEARNED.our_intervals(JOB, tables()), None, ""),
}


# Figures that need both sides: (ours, theirs).
TOGETHER = {"search": SEARCHED.ranks, "search-hyperopt": SEARCHED.ranks}
NEED_HOROVOD = {"horovod", "elastic-horovod"}
# Minutes, so not part of a plain ./dev bench.
ASKED_ONLY = {"search-flights", "search-hyperopt", "search-ray", "search-tables", "streams-day", "streams-topics"}
NEED_PEERS = {"classifier", "predict", "search-tables", "serve", "sources", "streams", "streams-topics", "tables", "visits"}
SPARK_PARTS = ("map", "hand", "first", "flights")


def made_flights(rows):
    if rows is None:
        return tables()
    return scale.Bench(BIN, None, JOB, None).tables(rows)


def print_serverless(asked):
    wanted = [name.removeprefix("serverless-") for name in asked.names if name.startswith("serverless-")]
    bench = serverless.Serverless(BIN, JOB, made_flights, (asked.records or 10_000_000), asked.scale_factor, asked.epochs,
                                  not asked.ours)
    parts = wanted or serverless.PARTS
    ours, theirs = {part: {} for part in parts}, {part: {} for part in parts}
    for _ in range(asked.rounds or 1):
        for part, mine, others in bench.measure(parts):
            gather(ours[part], mine)
            gather(theirs[part], others)
    for part in parts:
        print(f"serverless-{part}")
        print_table(ours[part], theirs[part], "")


def print_spark(asked):
    wanted = [name.removeprefix("spark-") for name in asked.names if name.startswith("spark-")] or SPARK_PARTS
    for part, ours, theirs in on_spark.measure(wanted, asked.rounds, BIN, None if asked.ours else PYTHON,
                                               asked.scale, JOB, os.path.abspath(tables()), peer_flights):
        print(f"spark-{part}{' beside PySpark on the same server' if theirs else ''}")
        print_table(ours, theirs, "PySpark")


# {figure: (values, unit)}
def gather(into, figures):
    for one in figures:
        into.setdefault(one["figure"], ([], one["unit"]))[0].append(one["value"])


def goal_text(name, value, their, ratio):
    texts = []
    for kind, goal in GOALS.get(name, []):
        unknown = kind in (TIMES, SHORT_BY) and their is None
        reached = not unknown and {TIMES: lambda: ratio >= goal, SHORT_BY: lambda: value >= their - goal,
                                   AT_MOST: lambda: value <= goal, AT_LEAST: lambda: value >= goal}[kind]()
        wanted = f">= {goal} x" if kind == TIMES else f"{kind} {goal}"
        texts.append(f"{wanted} {'reached' if reached else 'unknown' if unknown else 'MISSED'}")
    return ", ".join(texts)


def print_table(ours, theirs, peer):
    for name in [*ours, *[name for name in theirs if name not in ours]]:
        values, unit = ours.get(name) or theirs[name]
        mine = statistics.median(ours[name][0]) if name in ours else None
        their = statistics.median(theirs[name][0]) if name in theirs else None
        ratio = None
        if mine is not None and their is not None:
            ratio = mine / their if unit in MORE_IS_BETTER else their / mine if mine else math.inf
        cells = [f"{mine:.4g} {unit}" if mine is not None else "-", f"{their:.4g} {unit}" if their is not None else "-",
                 f"{ratio:.3g} x" if ratio is not None else ""]
        print(f"{name:41} {cells[0]:>16} {cells[1]:>16} {cells[2]:>8}  {goal_text(name, mine, their, ratio) if mine is not None else peer}",
              flush=True)


def main():
    parser = argparse.ArgumentParser(prog="./dev bench")
    parser.add_argument("--ours", action="store_true", help="do not run the peers")
    parser.add_argument("--rounds", type=int, help="instead of each benchmark's own number")
    parser.add_argument("--scale", type=float, default=1, help="of the tables of spark and streams, to try it out")
    parser.add_argument("--rows", type=int, action="append", help="of scale's made tables; may be repeated")
    parser.add_argument("--memory", help="engine.memory of scale's jobs")
    parser.add_argument("--records", type=int, help="of serverless's sort, 100 bytes each")
    parser.add_argument("--scale-factor", type=float, default=1, help="of serverless's queries; below 1 also of its rows")
    parser.add_argument("--epochs", type=int, default=100, help="of serverless's learning")
    parser.add_argument("--folds", type=int, default=5, help="of nets; at most 10")
    names = [*BENCHES, "nets", "scale", "scale-spark", "spark", *[f"spark-{part}" for part in SPARK_PARTS],
             "serverless", *[f"serverless-{part}" for part in serverless.PARTS]]
    parser.add_argument("names", nargs="*", choices=[*names, []], metavar="name", help=", ".join(names))
    asked = parser.parse_args()
    STREAMS.scale = asked.scale
    os.makedirs("build/bench", exist_ok=True)
    print(f"{'':41} {'ours':>16} {'peer':>16} {'ratio':>8}  must be")
    for name in [name for name in asked.names if name in BENCHES] or ([] if asked.names else [each for each in BENCHES if each not in ASKED_ONLY]):
        if name in NEED_PEERS and not os.path.exists(PYTHON):
            print(f"{name}: left out, its tables or its measure come from the peers: bench/peers/setup.sh")
            continue
        if name in NEED_HOROVOD and not asked.ours and not os.path.exists(HOROVOD):
            print(f"{name}: left out, Horovod is not built: bench/peers/horovod.sh, or ./dev bench {name}")
            continue
        rounds, our_side, peer_side, peer = BENCHES[name]
        ours, theirs = {}, {}
        for _ in range(asked.rounds or rounds):
            gather(ours, our_side())
            if peer_side and not asked.ours:
                gather(theirs, peer_side())
        if name in TOGETHER and theirs:
            for side, figures in zip((ours, theirs), TOGETHER[name]()):
                gather(side, figures)
        print(f"{name}{' beside ' + peer if theirs else ''}")
        print_table(ours, theirs, peer)
    if "nets" in asked.names:
        print(f"nets: the mean over {asked.folds} folds; beside each peer our processor time as a multiple of its")
        nets.Nets(BIN, PYTHON, figures_in).print_tables(asked.folds, not asked.ours)
    if "scale" in asked.names:
        print("scale: the flights job as tables grow, beside DuckDB and a program by hand")
        scale.run(BIN, None if asked.ours else PYTHON, JOB, asked.rows, REAL_TABLES if os.path.isdir(REAL_TABLES) else None,
                  asked.rounds, asked.memory)
    if "scale-spark" in asked.names:
        print("scale-spark: the same on Spark, beside PySpark doing the same ETL and one write")
        scale_spark.run(BIN, None if asked.ours else PYTHON, JOB, asked.rows, asked.rounds)
    if any(name.startswith("serverless") for name in asked.names):
        print_serverless(asked)
    if not asked.names or any(name.startswith("spark") for name in asked.names):
        print_spark(asked)


main()
