# SPDX-License-Identifier: Apache-2.0
"""What a run keeps for the next, and three workloads of serverless executors: a sort, a decision-support query, and
learning in many short runs. Each is measured dedicated (alone, nothing kept or taken) beside its peers.

Every answer is checked: rows in order and all there, rows equal to DuckDB's, weights equal bit for bit.
"""

import contextlib
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import on_spark
from serverless_answers import PYTHON, RECORD_BYTES, Ended, Rows, lines_of, make_records, same_rows

FOLDER = "build/bench/serverless"
PARTS = ("sort", "queries", "learning", "flights", "pool")
RAY = ".deps/peers-ray/bin/python"
PEERS = "bench/peers/serverless.py"
Q77 = "77.sql"
QUERIES = 99 + 22
SECOND_RUN = {"train.epochs": 1, "train.batch_size": 4096}
# How often the second program comes and goes, in seconds.
COMES_EVERY_S = 2
SORT_JOB = """name = "sort"
engine = {{ address = "local", memory = "1GiB" }}
[tables]
records = {{ csv = "{source}", header = false }}
[etl]
sql = "SELECT * FROM records ORDER BY column1"
[outputs]
sorted = "sorted.{form}"
"""
QUERY_JOB = """name = "q77"
data = "{folder}"
[tables]
{tables}
[etl]
sql = '''
{text}'''
[outputs]
rows = "rows.csv"
"""
LEARNING_JOB = """name = "learning"
[tables]
numbers = {{ parquet = "{file}" }}
[etl]
sql = "SELECT * FROM numbers"
[[pipeline]]
kind = "torch_estimator"
numeric = {columns}
label = "y"
net = "linear"
loss = "mse"
[train]
epochs = {epochs}
batch_size = 8192
[gang]
workers = 2
"""
NUMBERS = [f"x{i}" for i in range(1, 31)]


def figure(name, value, unit="s"):
    return {"figure": name, "value": value, "unit": unit}


class Serverless:
    def __init__(self, binaries, job, tables_of, records, scale_factor, epochs, peers):
        self.binaries, self.protium = binaries, os.path.abspath(f"{binaries}/protium")
        self.job, self.tables_of = job, tables_of
        self.records, self.scale_factor, self.epochs = records, scale_factor, epochs
        self.peers = peers
        # Of every protium command that is measured.
        self.environment = {"PROTIUM_STORE": "off"}

    # Gives (title, ours, theirs): figures of one round.
    def measure(self, parts):
        os.makedirs(FOLDER, exist_ok=True)
        if not os.path.exists(PYTHON):
            sys.exit("bench: the tables come from the peers: bench/peers/serverless.sh")
        for part in PARTS:
            if part in parts:
                yield part, *getattr(self, part)()

    @contextlib.contextmanager
    def store(self):
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir=FOLDER) as folder:
            yield {"PROTIUM_STORE": os.path.abspath(f"{folder}/store")}

    def run_job(self, file, runs, environment, *more):
        ended = Ended([self.protium, "run", file, "--runs-dir", runs, "--json", *more], environment)
        return ended, ended.answer()

    def peer(self, *words, python=PYTHON):
        return Ended([python, PEERS, *map(str, words)])

    # --- the sort

    def records_file(self):
        path = f"{FOLDER}/records-{self.records}.csv"
        if not os.path.exists(path):
            make_records(path, self.records)
        return path

    def sort(self):
        size = f"{self.records * RECORD_BYTES / 1e9:g} GB"
        source = self.records_file()
        rows = Rows(lines_of(source))
        print(f"sort: {self.records:,} records of {RECORD_BYTES} bytes, {size}; the sort is that of DuckDB, the embedded "
              "engine", flush=True)
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir=FOLDER) as folder:
            ours = list(self.our_sorts(os.path.abspath(source), os.path.abspath(folder), rows))
            theirs = list(self.their_sorts(os.path.abspath(source), os.path.abspath(folder), rows)) if self.peers else []
        beside = {one["figure"] for one in theirs}
        mine = {one["figure"]: one for one in ours}
        # A peer's figure stands beside ours of the same form.
        for name in sorted(beside):
            form = name.rsplit(", ", 1)[0]
            if form in mine:
                ours.append(dict(mine[form], figure=name))
        return ours, theirs

    def our_sorts(self, source, folder, rows):
        for form in ("csv", "parquet"):
            target = f"{folder}/ours.{form}"
            data = os.path.dirname(source)
            table = os.path.basename(source).removesuffix(".csv")
            ended = Ended([self.protium, "sql", f"SELECT * FROM `{table}` ORDER BY column1", "--data", data, "--csv",
                           "header=false", "--output", target], self.environment)
            rows.check(target, header=form == "csv")
            yield figure(f"sort to {form}", ended.seconds)
            os.remove(target)
        with open(f"{folder}/job.toml", "w", encoding="utf-8") as job:
            job.write(SORT_JOB.format(source=source, form="csv"))
        ended, answer = self.run_job(f"{folder}/job.toml", f"{folder}/runs", self.environment)
        rows.check(answer["outputs"][0], header=True)
        shutil.rmtree(f"{folder}/runs")
        yield figure("sort to csv within 1 GB", ended.seconds)
        yield figure("sort to csv within 1 GB, peak memory", ended.peak_bytes / 2**20, "MiB")

    def their_sorts(self, source, folder, rows):
        target = f"{folder}/theirs"
        for name, memory in (("sort to csv", []), ("sort to csv within 1 GB", ["-S", "900M"])):
            ended = Ended(["sort", "--parallel=2", "-T", folder, *memory, "-o", target, source], {"LC_ALL": "C"})
            rows.check(target)
            yield figure(f"{name}, GNU sort", ended.seconds)
            os.remove(target)
        for name, form, memory in (("sort to csv", "csv", "all"), ("sort to parquet", "parquet", "all"),
                                   ("sort to csv within 1 GB", "csv", "1GB")):
            ended = self.peer("duckdb-sort", source, f"{target}.{form}", memory)
            rows.check(f"{target}.{form}")
            yield figure(f"{name}, DuckDB", ended.seconds)
            os.remove(f"{target}.{form}")
        yield from self.spark_sorts(source, target, rows)
        if not os.path.exists(RAY):
            print("sort: Ray Data is left out: bench/peers/serverless.sh ray")
            return
        ended = self.peer("ray-sort", source, f"{target}.ray", python=RAY)
        rows.check(f"{target}.ray")
        yield figure("sort to parquet, Ray Data", ended.times()[0])

    # Without the start of server and session, with which executors are already there.
    def spark_sorts(self, source, target, rows):
        for name, master in (("Spark local[2]", "local[2]"), ("Spark local-cluster", "local-cluster[2,1,3072]")):
            with on_spark.Server(master) as server:
                for form in ("csv", "parquet"):
                    folder = f"{target}-{form}"
                    ended = self.peer("spark-sort", server.address, source,
                                      folder if form == "csv" else f"{folder}.parquet")
                    made = folder if form == "csv" else f"{folder}.parquet"
                    rows.check(made)
                    yield figure(f"sort to {form}, {name}", ended.times()[0])
                    shutil.rmtree(made)

    # --- queries

    def tpc(self):
        folder = os.path.abspath(f"{FOLDER}/tpc-{self.scale_factor:g}")
        if not os.path.exists(f"{folder}/made"):
            shutil.rmtree(folder, ignore_errors=True)
            self.peer("tpc", folder, self.scale_factor)
            with open(f"{folder}/made", "w", encoding="ascii"):
                pass
        return folder

    def query(self, folder, text_file, target, environment):
        with open(text_file, "rb") as text:
            return Ended([self.protium, "sql", "-", "--data", folder, "--output", target, "--force"], environment, text)

    def queries(self):
        tpc = self.tpc()
        folder, q77 = f"{tpc}/tpcds", f"{tpc}/tpcds/{Q77}"
        print(f"queries: TPC-DS and TPC-H at scale factor {self.scale_factor:g}", flush=True)
        ours, theirs = [], []
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir=FOLDER) as scratch:
            scratch = os.path.abspath(scratch)
            for name in ("Q77, whole process", "Q77 again, whole process"):
                ours.append(figure(name, self.query(folder, q77, f"{scratch}/ours.csv", self.environment).seconds))
            ours += self.query_job(folder, q77, scratch)
            if self.peers:
                whole = self.peer("duckdb-query", folder, q77)
                theirs.append(figure("Q77, whole process", whole.seconds))
                first, again = whole.times()
                theirs += [figure("Q77, DuckDB in its process", first), figure("Q77 again, DuckDB in its process", again)]
                with on_spark.Server() as server:
                    warm = self.peer("spark-query", server.address, folder, q77).times()[-1]
                ours.append(dict(ours[0], figure="Q77, Spark"))
                theirs.append(figure("Q77, Spark", warm))
            all_ours, all_theirs = self.all_queries(tpc, scratch)
        return ours + all_ours, theirs + all_theirs

    # The same as a job, which may keep what it made.
    def query_job(self, folder, q77, scratch):
        with open(q77, encoding="utf-8") as text, open(f"{scratch}/q77.toml", "w", encoding="utf-8") as job:
            text = text.read()
            names = [os.path.basename(path).removesuffix(".parquet") for path in glob.glob(f"{folder}/*.parquet")]
            tables = "\n".join(f'{name} = {{ parquet = "{name}.parquet" }}' for name in names if name in text)
            job.write(QUERY_JOB.format(folder=folder, tables=tables, text=text))
        with self.store() as store:
            for name in ("Q77 as a job, first run", "Q77 as a job, second run"):
                ended, answer = self.run_job(f"{scratch}/q77.toml", f"{scratch}/runs", store)
                if not same_rows(answer["outputs"][0], f"{scratch}/ours.csv"):
                    sys.exit("bench: the job has other rows than the query")
                yield figure(name, ended.seconds)

    def all_queries(self, tpc, scratch):
        seconds, their_seconds, unlike = 0, 0, []
        for kind in ("tpcds", "tpch"):
            os.mkdir(f"{scratch}/{kind}")
            their_seconds += sum(self.peer("duckdb-answers", f"{tpc}/{kind}", f"{scratch}/{kind}").times())
            for file in sorted(glob.glob(f"{tpc}/{kind}/*.sql")):
                name = os.path.basename(file).removesuffix(".sql")
                target = f"{scratch}/ours.csv"
                seconds += self.query(f"{tpc}/{kind}", file, target, self.environment).seconds
                if not same_rows(target, f"{scratch}/{kind}/{name}.csv"):
                    unlike.append(f"{kind} {name}")
        if unlike:
            print(f"queries: other rows than DuckDB's in {', '.join(unlike)}")
        return ([figure("queries answered as DuckDB does", QUERIES - len(unlike), ""),
                 figure("all 121, a process each", seconds)],
                [figure("all 121, DuckDB in one process", their_seconds)])

    # --- learning

    def numbers_rows(self):
        return int(1_000_000 * min(1, self.scale_factor))

    def numbers_file(self):
        rows = self.numbers_rows()
        file = os.path.abspath(f"{FOLDER}/numbers-{rows}.parquet")
        if not os.path.exists(file):
            self.peer("numbers", file + ".new", rows)
            os.rename(file + ".new", file)
        return file

    def learning(self):
        rows, file = self.numbers_rows(), self.numbers_file()
        print(f"learning: a line through {rows:,} rows of 30 numbers, {self.epochs} epochs", flush=True)
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir=FOLDER) as scratch, self.store() as store:
            one, weights = self.learn(file, scratch, self.epochs, self.environment)
            parts = [self.learn(file, scratch, 1, store, "--set", "train.continues=line") for _ in range(self.epochs)]
        if parts[-1][1] != weights:
            sys.exit(f"bench: {self.epochs} runs of an epoch learned other weights than one run")
        many = sum(seconds for seconds, _ in parts)
        ours = [figure("learning in one run", one), figure("learning in a run for each epoch", many),
                figure("runs for each epoch / one run", many / one, "")]
        if not self.peers:
            return ours, []
        with on_spark.Server() as server:
            spark = self.peer("spark-learning", server.address, file, self.epochs).answer()
        if spark["rows"] != rows or not spark["loss"] < 2:
            sys.exit(f"bench: Spark learned nothing: {spark}")
        return ours, [figure("learning in one run", spark["seconds"])]

    def learn(self, file, scratch, epochs, environment, *more):
        with open(f"{scratch}/learning.toml", "w", encoding="utf-8") as job:
            job.write(LEARNING_JOB.format(file=file, columns=json.dumps(NUMBERS), epochs=epochs))
        ended, answer = self.run_job(f"{scratch}/learning.toml", f"{scratch}/runs", environment, *more)
        with open(f"{answer['folder']}/result.json", encoding="utf-8") as result:
            weights = json.load(result)["weights_sha256"]
        shutil.rmtree(f"{scratch}/runs")
        return ended.seconds, weights

    # --- the second run of a job

    def flights(self):
        ours = []
        cases = [("flights", self.tables_of(None), {})]
        rows = int(5_000_000 * min(1, self.scale_factor))
        cases.append((f"{rows / 1e6:g} M flights", self.tables_of(rows), SECOND_RUN))
        for name, folder, settings in cases:
            sets = [word for key, value in (settings | {"data": os.path.abspath(folder)}).items()
                    for word in ("--set", f"{key}={value}")]
            with tempfile.TemporaryDirectory(prefix="protium-bench-", dir=FOLDER) as scratch, self.store() as store:
                (first, was), (second, now) = [self.run_job(self.job, f"{scratch}/runs", store, *sets) for _ in range(2)]
            if was["metrics"] != now["metrics"]:
                sys.exit(f"bench: the second run of {name} has other metrics: {was['metrics']} and {now['metrics']}")
            ours += [figure(f"{name}, first run", first.seconds), figure(f"{name}, second run", second.seconds),
                     figure(f"{name}, second / first", second.seconds / first.seconds, ""),
                     figure(f"{name}, first step of the first run", was["seconds"]["first_step"] * 1e3, "ms"),
                     figure(f"{name}, first step of the second run", now["seconds"]["first_step"] * 1e3, "ms")]
        return ours, []

    # --- the pool

    # A pool of its own, which ends with the with statement; what programs need to find it.
    @contextlib.contextmanager
    def pool_and_store(self):
        # The path of a socket is short.
        with self.store() as store, tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
            environment = store | {"PROTIUM_POOL": f"{folder}/pool.sock"}
            with open(f"{folder}/log", "wb") as log, subprocess.Popen(
                    [self.protium, "pool", "start", "--foreground"], env=dict(os.environ, **environment), stdout=log,
                    stderr=log) as pool:
                begun = time.perf_counter()
                while not os.path.exists(environment["PROTIUM_POOL"]):
                    if pool.poll() is not None or time.perf_counter() - begun > 30:
                        sys.exit(f"bench: the pool does not start: {open(log.name, encoding='utf-8').read()}")
                    time.sleep(0.05)
                try:
                    yield environment
                finally:
                    pool.terminate()
                    pool.wait(timeout=30)

    # A second program that comes and goes meanwhile.
    @contextlib.contextmanager
    def another(self, environment):
        ended = threading.Event()

        def come_and_go():
            while not ended.wait(COMES_EVERY_S):
                Ended([self.protium, "gang", "--workers", "1", "true"], environment)

        thread = threading.Thread(target=come_and_go)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    # Sorts, asks and learns; gives the seconds of each.
    def workloads(self, environment, source, file, scratch):
        tpc = self.tpc()
        sort = Ended([self.protium, "sql", f"SELECT * FROM `{os.path.basename(source).removesuffix('.csv')}` ORDER BY column1",
                      "--data", os.path.dirname(source), "--csv", "header=false", "--output", f"{scratch}/sorted.parquet",
                      "--force"], environment)
        query = self.query(f"{tpc}/tpcds", f"{tpc}/tpcds/{Q77}", f"{scratch}/q77.csv", environment)
        # Nothing kept is taken, which would not be the same work.
        learning, _ = self.learn(file, scratch, self.epochs, environment, "--fresh")
        return {"sort": sort.seconds, "Q77": query.seconds, "learning": learning}

    def pool(self):
        source, file = os.path.abspath(self.records_file()), self.numbers_file()
        print("pool: the workloads dedicated, and with the pool, the store and a program that comes and goes", flush=True)
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir=FOLDER) as scratch:
            scratch = os.path.abspath(scratch)
            alone = self.workloads(self.environment | {"PROTIUM_POOL": "off"}, source, file, scratch)
            with self.pool_and_store() as environment:
                with self.another(environment):
                    shared = self.workloads(environment, source, file, scratch)
                ours = [figure(f"{name}, {how}", seconds[name]) for name in alone
                        for how, seconds in (("dedicated", alone), ("serverless", shared))]
                ours += [figure(f"{name}, serverless / dedicated", shared[name] / alone[name], "") for name in alone]
                ours += self.warm_flights(scratch, environment)
                ours += self.two_at_once(scratch, environment)
        for program in ([f"{self.binaries}/bench_pool", self.protium], [f"{self.binaries}/bench_store"]):
            ours += [json.loads(line) for line in Ended(program).out.splitlines() if line.startswith("{")]
        return ours, []

    # The job again with everything kept, its workers waiting.
    def warm_flights(self, scratch, environment):
        steps = []
        for _ in range(4):
            _, answer = self.run_job(self.job, f"{scratch}/runs", environment, "--set",
                                     f"data={os.path.abspath(self.tables_of(None))}")
            steps.append(answer["seconds"]["first_step"] * 1e3)
        yield figure("flights, first step with all kept and warm", min(steps[1:]), "ms")
        begun = time.perf_counter()
        for _ in range(20):
            Ended([self.protium, "gang", "--workers", "4", "true"], environment)
        yield figure("gang of 4, true, with the pool", (time.perf_counter() - begun) / 20 * 1e3, "ms")

    # Two elastic jobs of equal weight, which want both cores: how much longer the one takes than the other. Gangs of
    # a fixed size take turns instead, the second when the first has ended.
    def two_at_once(self, scratch, environment):
        file, seconds = self.numbers_file(), {}

        def learn(number):
            os.mkdir(f"{scratch}/{number}")
            seconds[number], _ = self.learn(file, f"{scratch}/{number}", self.epochs, environment, "--set",
                                            "gang.workers={ min = 1, max = 2 }")

        threads = [threading.Thread(target=learn, args=(number,)) for number in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        yield figure("two equal jobs at once, longer / shorter", max(seconds.values()) / min(seconds.values()), "")
