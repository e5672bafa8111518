# SPDX-License-Identifier: Apache-2.0
"""`protium stream` from topic to topic of a real broker: a net over 16 numbers in JSON, in transactions, beside Spark's
structured streaming with a pandas UDF that runs the same net in ONNX Runtime, which writes at least once: rows a second, and
the time from a message to its row."""

import atexit
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

PARTITIONS, SECONDS, RATE, EACH_FILE = 3, 15, 2000, 20
TOPICS = ("in", "ours", "theirs", "events", "ours-late", "theirs-late", "ours-quick")
JARS = ".deps/spark/jars"


class Topics:
    # `streams`: the bench of streams over folders, whose net and rows these are.
    def __init__(self, binaries, streams):
        self.binaries, self.streams, self.broker, self.scratch, self.rows = os.path.abspath(binaries), streams, None, None, 0

    # One broker serves both sides.
    def start(self):
        if self.broker:
            return
        self.scratch = os.path.abspath(tempfile.mkdtemp(prefix="protium-bench-", dir="build/bench"))
        atexit.register(self.end)
        started = subprocess.run(["scripts/kafka-broker", "start", "--state", f"{self.scratch}/broker", "--owner", str(os.getpid()),
                                  "--lifetime", "3000"], capture_output=True, text=True, check=False)
        if started.returncode != 0:
            sys.exit(f"bench: {started.stderr}")
        self.broker = started.stdout.strip()
        subprocess.run([f"{self.binaries}/bench_kafka", "make", self.broker, str(PARTITIONS), *TOPICS], check=True)

    def end(self):
        subprocess.run(["scripts/kafka-broker", "stop", f"{self.scratch}/broker"], capture_output=True, check=False)
        shutil.rmtree(self.scratch, ignore_errors=True)

    # A stream's words; a source or sink is a topic, or a folder and a pattern.
    def words(self, name, source, sink, scores=True, batch="{ rows = 50000, ms = 5 }"):
        folder = os.path.abspath(f"{self.scratch}/{name}")
        os.makedirs(f"{folder}/in")
        columns = ", ".join(["id = \"int64\"", *(f"x{i} = \"float64\"" for i in range(16))])
        model = f'model = "{self.streams.net()}"\n' if scores else ""
        with open(f"{folder}/live.toml", "w", encoding="utf-8") as file:
            file.write(f'name = "live"\ndata = "{folder}"\n[stream]\nsource = {{ {source} }}\nsink = {{ {sink} }}\n{model}'
                       f"columns = {{ {columns} }}\nbatch = {batch}\n")
        return folder, [f"{folder}/live.toml", "--streams-dir", f"{folder}/streams", "--runs-dir", self.streams.runs]

    def at(self, topic):
        return f'kafka = "{self.broker}", topic = "{topic}"'

    # All rows, as messages.
    def fill(self):
        folder, words = self.words("fill", 'folder = "in", pattern = "*.parquet"', self.at("in") + ', delivery = "at_least_once"', False)
        rows = self.streams.put_made(f"{folder}/in")
        self.streams.stream_made(rows, words)
        shutil.rmtree(f"{folder}/in")
        return rows

    # p50 and p99 of a stream into `topic` while messages come.
    def late(self, name, topic, delivery):
        head, lines = self.streams.made_lines()
        feed, feeding = self.words(f"{name}-feed", 'folder = "in", pattern = "*.csv"', self.at("events") + ', delivery = "at_least_once"', False)
        folder, words = self.words(name, self.at("events") + ', start = "latest"', self.at(topic) + f', delivery = "{delivery}"')
        stream = self.streams.start(folder, words)
        feeder = self.streams.start(feed, feeding)
        begun = time.perf_counter()
        for number in range(int(RATE * SECONDS * self.streams.scale) // EACH_FILE):
            first = number * EACH_FILE % (len(lines) - EACH_FILE)
            self.streams.put(feed, f"{number:06}.csv", head, lines[first:first + EACH_FILE])
            time.sleep(max(0, begun + (number + 1) * EACH_FILE / RATE - time.perf_counter()))
        time.sleep(1)
        status = self.streams.status(words)
        self.streams.end(feeder)
        self.streams.end(stream)
        return status["latency_ms"]

    def ours(self):
        self.start()
        rows = self.rows = self.fill()
        _, words = self.words("ours", self.at("in"), self.at("ours"), batch="{ rows = 100000, ms = 20 }")
        yield {"figure": "16 numbers, topic to topic", "value": rows / self.streams.stream_made(rows, words) / 1e6, "unit": "M rows/s"}
        for name, topic, delivery in (("transactions", "ours-late", "once"), ("at least once", "ours-quick", "at_least_once")):
            found = self.late(f"late-{delivery}", topic, delivery)
            for share in ("p50", "p99"):
                yield {"figure": f"{RATE:,} rows/s, topic, {name}, {share}", "value": found[share], "unit": "ms"}

    def theirs(self):
        jars = ",".join(glob.glob(f"{JARS}/*kafka*.jar") + glob.glob(f"{JARS}/commons-pool2*.jar"))
        if not jars:
            sys.exit("bench: the connector is not here: scripts/spark-server fetch --version 4.2.1 --jars")
        rows = self.rows
        head, lines = self.streams.made_lines()
        with open(f"{self.scratch}/lines.csv", "w", encoding="utf-8") as file:
            file.writelines([head, *lines])
        self.streams.run("export", self.streams.net(), "--to", "onnx", "--output", f"{self.scratch}/net.onnx")
        done = subprocess.run([self.streams.python, "bench/peers/topics.py", self.scratch, self.broker, jars, str(rows), str(RATE),
                               str(SECONDS * self.streams.scale), str(EACH_FILE)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: Spark ended with {done.returncode}: {done.stderr[-2000:]}")
        return self.streams.figures_in(done.stdout)
