# SPDX-License-Identifier: Apache-2.0
"""Our figures and PySpark's on one Spark Connect server, which bench.py starts for them.

How fast a server is depends on what its JVM has compiled by then, twice over: so all cases run once
unmeasured, in one mixed round, and then in turn, each round in the other direction.
"""

import functools
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading

PATIENCE_S = 900
TWO, WIDE = 20_000_000, 500_000
STOCK, SETTINGS, PANDAS = "stock mapInArrow", "mapInArrow, our settings", "pandas UDF, our settings"
SHAPES = {"two": ("2 x float64", TWO), "wide": ("200 x float32", WIDE)}
KINDS = {STOCK: "stock", SETTINGS: "arrow", PANDAS: "pandas"}


class Server:
    """A server of two cores, until the end of the with statement."""

    def __init__(self, master="local[2]"):
        self.master = master

    def __enter__(self):
        self.state = tempfile.mkdtemp(prefix="protium-bench-spark-")
        started = subprocess.run(
            ["scripts/spark-server", "start", "--version", "4.2", "--master", self.master, "--state", self.state,
             "--owner", str(os.getpid()), "--lifetime", "14400", "--conf", "spark.driver.memory=5g",
             "--conf", "spark.sql.shuffle.partitions=2"], stdout=subprocess.PIPE, text=True, check=False)
        if started.returncode != 0:
            sys.exit("bench: no Spark server")
        self.address = started.stdout.strip()
        return self

    def __exit__(self, *_):
        subprocess.run(["scripts/spark-server", "stop", self.state], check=False)
        shutil.rmtree(self.state, ignore_errors=True)

    def forget_programs(self):
        """Executors have then no program of ours, as on the first day."""
        kept = glob.glob(f"{self.state}/local/**/protium-*/bundles/*", recursive=True)
        if not any(os.path.isdir(path) for path in kept):
            sys.exit(f"bench: no program of ours was found below {self.state}/local")
        for path in kept:
            if os.path.isdir(path):
                shutil.rmtree(path)
            else:
                os.remove(path)  # A lock: idle workers of earlier sessions hold it for a minute.


class Asked:
    """A program that answers every line of its stdin with {"seconds": ...}."""

    def __init__(self, command, environment=None):
        self.name = os.path.basename(command[0])
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                                        env=dict(os.environ, **(environment or {})))

    def ask(self, question):
        impatient = threading.Timer(PATIENCE_S, self.process.kill)
        impatient.start()
        try:
            self.process.stdin.write(question + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline()
        except BrokenPipeError:
            answer = ""
        impatient.cancel()
        if not answer:
            sys.exit(f"bench: {self.name} gave no answer to \"{question}\"")
        return json.loads(answer)["seconds"]

    def end(self):
        self.process.stdin.close()
        self.process.wait(60)
        self.process.stdout.close()


class Bench:
    """One server, our program and theirs (None: without peers), and what was measured."""

    def __init__(self, server, binaries, python, scratch, scale):
        self.server, self.binaries, self.scale = server, binaries, scale
        self.cache = f"{scratch}/cache"
        os.makedirs(self.cache)
        self.mine = Asked([f"{binaries}/bench_spark", server.address, scratch], {"XDG_CACHE_HOME": self.cache})
        self.theirs = Asked([python, "bench/peers/spark_map.py", server.address]) if python else None
        self.found = ({}, {})

    def keep(self, side, name, seconds):
        self.found[side].setdefault(name, ([], "s"))[0].append(seconds)

    def end(self):
        self.mine.end()
        if self.theirs:
            self.theirs.end()

    def rows(self, shape):
        return max(1000, int(SHAPES[shape][1] * self.scale))

    def in_turn(self, cases, rounds):
        """Round 0 is not measured. A case is a function of: is it measured?"""
        for number in range(rounds + 1):
            for case in cases if number % 2 == 0 else reversed(cases):
                case(number > 0)

    def maps(self, rounds):
        cases = []
        for shape, (label, _) in SHAPES.items():
            question = f"{shape} {self.rows(shape)}"
            cases.append(functools.partial(self.map, 0, question, label))
            for peer, kind in KINDS.items() if self.theirs else ():
                name = f"{label}, {'mapInPandas, our settings' if (shape, peer) == ('wide', PANDAS) else peer}"
                cases.append(functools.partial(self.map, 1, f"{question} {kind}", name))
        self.in_turn(cases, rounds)
        # Ours is one figure, beside each of the peers'.
        for name in self.found[1]:
            label = next((label for label, _ in SHAPES.values() if name.startswith(label)), None)
            if label and label in self.found[0]:
                self.found[0][name] = self.found[0][label]
        if self.theirs:
            for label, _ in SHAPES.values():
                self.found[0].pop(label)

    def map(self, side, question, name, measured):
        program = (self.mine, self.theirs)[side]
        if not measured:
            program.ask(f"check {question}")
        seconds = program.ask(f"map {question}")
        if measured:
            self.keep(side, name, seconds)

    def hands(self, rounds):
        def hand(way, side):
            def case(measured):
                seconds = self.mine.ask(f"hand {way} {self.rows('wide')}")
                if measured:
                    self.keep(side, "400 MB to 2 ranks, files : stream", seconds)
            return case
        self.in_turn([hand("files", 0), hand("stream", 1)], rounds)

    def firsts(self, rounds):
        def ours_new(measured):
            self.server.forget_programs()
            seconds = self.mine.ask("first plain")
            if measured:
                self.keep(0, "first task, program new", seconds)

        def ours_known(measured):
            seconds = self.mine.ask("first plain")
            if measured:
                self.keep(0, "first task, program known", seconds)

        def theirs(measured):
            seconds = self.theirs.ask("first")
            if measured:
                self.keep(1, "first task, program known", seconds)
        self.in_turn([ours_new, ours_known, *([theirs] if self.theirs else [])], rounds)
        self.first_torch(rounds)

    def first_torch(self, rounds):
        self.keep(0, "pack LibTorch, once a build", self.mine.ask("bundle torch"))
        self.server.forget_programs()
        self.keep(0, "first task, LibTorch new", self.mine.ask("first torch"))
        self.mine.ask("first torch")
        for _ in range(rounds):
            self.keep(0, "first task, LibTorch known", self.mine.ask("first torch"))

    def our_flights(self, job, tables, measured):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as runs:
            done = subprocess.run(
                [f"{self.binaries}/protium", "run", job, "--set", f"data={tables}", "--engine", self.server.address,
                 "--runs-dir", runs, "--json"], capture_output=True, text=True, timeout=PATIENCE_S, check=False,
                env=dict(os.environ, XDG_CACHE_HOME=self.cache))
            if done.returncode != 0:
                sys.exit(f"bench: the flights job ended with {done.returncode}:\n{done.stderr[-2000:]}")
            with open(os.path.join(json.loads(done.stdout.splitlines()[-1])["folder"], "result.json"),
                      encoding="utf-8") as file:
                result = json.load(file)
        test, line = result["metrics"]["test"], result["metrics"]["baseline"]
        if not (test["rows"] > 0 and test["rmse"] < line["rmse"]):
            sys.exit(f"bench: the flights job learned nothing: {test} against {line}")
        if measured:
            self.keep_flights(result["seconds"])

    def keep_flights(self, seconds):
        parts = {"ETL": seconds["etl"] + seconds.get("fit", 0), "training": seconds["train"],
                 "scoring": seconds["score"]}
        for part, value in parts.items():
            self.keep(0, f"flights, {part}", value)
        self.keep(0, "flights, after the session's start", sum(parts.values()))

    def flights(self, rounds, job, tables, peer):
        def theirs(measured):
            for figure in peer(self.server.address):
                if measured and figure["figure"] != "flights job":
                    self.keep(1, figure["figure"], figure["value"])
        self.in_turn([lambda measured: self.our_flights(job, tables, measured),
                      *([theirs] if self.theirs else [])], rounds)


def measure(parts, rounds, binaries, python, scale, job, tables, peer):
    """Gives, part by part, its name and {figure: (values, unit)} of ours, and of theirs."""
    with Server() as server, tempfile.TemporaryDirectory(prefix="protium-bench-") as scratch:
        bench = Bench(server, binaries, python, scratch, scale)
        steps = {"map": lambda: bench.maps(rounds or 5), "hand": lambda: bench.hands(rounds or 5),
                 "first": lambda: bench.firsts(rounds or 5),
                 "flights": lambda: bench.flights(rounds or 3, job, tables, peer)}
        try:
            packed = bench.mine.ask("bundle plain")
            bench.mine.ask("check two 1000")
            for part in parts:
                bench.found = ({}, {})
                if part == "first":
                    bench.keep(0, "pack the program, once a build", packed)
                steps[part]()
                yield part, *bench.found
        finally:
            bench.end()
