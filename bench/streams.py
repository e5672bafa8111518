# SPDX-License-Identifier: Apache-2.0
"""`protium stream` over folders: a net over 16 numbers beside Spark's structured streaming with a pandas UDF that runs the
same net in ONNX Runtime, rows a second and the time from an event to its row; the forest over the visits of the example,
beside `predict` on the same rows; a long replay; and a day of small files in minutes."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

FOLDER = "build/bench/streams"
JOB = "examples/visits/visits.toml"
ROWS, PIECES = 1_000_000, 20
MADE_ROWS, MADE_FILES, REPLAYED = 250_000, 16, 10_000_000
RATE, SECONDS, EACH_FILE = 2000, 15, 20
DAY_FILES, DAY_SECONDS = 8640, 600  # One file for every ten seconds of the day.


class Streams:
    # `made` has the net over 16 numbers, and its tables.
    def __init__(self, binaries, python, figures_in, made):
        self.protium, self.scale = os.path.abspath(f"{binaries}/protium"), 1
        self.python, self.figures_in, self.made = python, figures_in, made
        self.runs, self.data = os.path.abspath(f"{FOLDER}/runs"), os.path.abspath(f"{FOLDER}/data")

    def run(self, *words):
        done = subprocess.run([self.protium, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: protium {' '.join(words)} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done.stdout

    # The visits, and a forest that has learned from them.
    def prepare(self):
        if os.path.isdir(self.runs):
            return
        rows = max(60_000, int(ROWS * self.scale))
        self.run("example", "visits", self.data, "--rows", str(rows), "--force")
        self.run("run", JOB, "--set", f"data={self.data}", "--runs-dir", self.runs)
        self.run("runs", "tag", "last", "live", "--runs-dir", self.runs)

    # A stream's job; `batch` is its line of [stream.batch].
    def job(self, folder, batch, model="tag:live", form="csv"):
        os.makedirs(f"{folder}/in")
        path = f"{folder}/live.toml"
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'name = "live"\ndata = "{folder}"\n[stream]\nsource = {{ folder = "in", pattern = "*.{form}" }}\n'
                       f'sink = {{ folder = "out" }}\nmodel = "{model}"\nbatch = {batch}\n')
        return [path, "--streams-dir", f"{folder}/streams", "--runs-dir", self.runs]

    def net(self):
        return os.path.abspath(self.made.model())

    # Equal files of made rows, each of its own.
    def put_made(self, folder):
        table = self.made.table(f"rows-{int(MADE_ROWS * self.scale)}", int(MADE_ROWS * self.scale))
        for number in range(MADE_FILES):
            shutil.copy(table, f"{folder}/{number}.parquet")
        return int(MADE_ROWS * self.scale) * MADE_FILES

    # Rows of 16 numbers as CSV.
    @staticmethod
    def made_lines(count=10_000):
        numbers = random.Random(5)
        lines = [",".join([str(row), *(f"{numbers.gauss(5, 3):.4f}" for _ in range(16))]) + "\n" for row in range(count)]
        return ",".join(["id", *(f"x{i}" for i in range(16))]) + "\n", lines

    def lines(self):
        with open(f"{self.data}/visits.csv", encoding="utf-8") as file:
            return file.readline(), file.readlines()

    @staticmethod
    def put(folder, name, head, lines):
        draft = f"{folder}/in/.{name}"
        with open(draft, "w", encoding="utf-8") as file:
            file.write(head)
            file.writelines(lines)
        os.rename(draft, f"{folder}/in/{name}")

    def folder_to_folder(self):
        head, lines = self.lines()
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
            words = self.job(folder, "{ rows = 50000, ms = 20 }")
            for piece in range(PIECES):
                self.put(folder, f"{piece:03}.csv", head, lines[piece::PIECES])
            begun = time.perf_counter()
            status = json.loads(self.run("stream", *words, "--once", "--json"))
            ours = time.perf_counter() - begun
            if status["rows"] != len(lines):
                sys.exit(f"bench: {status['rows']} of {len(lines)} rows were scored")
            begun = time.perf_counter()
            verified = json.loads(self.run("stream", "verify", *words, "--json"))
            replay = time.perf_counter() - begun
            if verified["differ"] or verified["unknown"]:
                sys.exit(f"bench: {verified}")
            begun = time.perf_counter()
            self.run("predict", "--model", "live", "--runs-dir", self.runs, "--data", self.data,
                     "--output", f"{folder}/scored.parquet")
            table = time.perf_counter() - begun
        yield {"figure": "folder to folder", "value": len(lines) / ours / 1e6, "unit": "M rows/s"}
        yield {"figure": "folder to folder / predict, rate", "value": table / ours, "unit": ""}
        yield {"figure": "made again by verify / predict, rate", "value": table / replay, "unit": ""}

    def stream_made(self, rows, words):
        begun = time.perf_counter()
        status = json.loads(self.run("stream", *words, "--once", "--json"))
        if status["rows"] != rows:
            sys.exit(f"bench: {status['rows']} of {rows} rows were scored")
        return time.perf_counter() - begun

    def made_folder(self):
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir="build/bench") as folder:
            folder = os.path.abspath(folder)
            words = self.job(folder, "{ rows = 250000, ms = 20 }", self.net(), "parquet")
            rows = self.put_made(f"{folder}/in")
            yield {"figure": "16 numbers, folder to folder", "value": rows / self.stream_made(rows, words) / 1e6, "unit": "M rows/s"}

    def replay(self):
        rows = int(REPLAYED * self.scale)
        table = os.path.abspath(self.made.table(f"rows-{rows}", rows))
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir="build/bench") as folder:
            folder = os.path.abspath(folder)
            words = self.job(folder, "{ rows = 500000, ms = 20 }", self.net(), "parquet")
            shutil.copy(table, f"{folder}/in/rows.parquet")
            ours = self.stream_made(rows, words)
            begun = time.perf_counter()
            self.run("predict", "--model", self.net(), "--input", table, "--output", f"{folder}/scored.parquet")
            predict = time.perf_counter() - begun
        yield {"figure": "replay", "value": rows / ours / 1e6, "unit": "M rows/s"}
        yield {"figure": "replay / predict, rate", "value": predict / ours, "unit": ""}

    # Starts the stream and waits until it has begun.
    def start(self, folder, words):
        stream = subprocess.Popen([self.protium, "stream", *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while not os.path.exists(f"{folder}/streams/live/status.json"):
            if time.monotonic() > deadline or stream.poll() is not None:
                sys.exit("bench: the stream does not start")
            time.sleep(0.05)
        return stream

    def status(self, words):
        return json.loads(self.run("stream", "status", *words, "--json"))

    @staticmethod
    def end(stream):
        stream.send_signal(signal.SIGTERM)
        if stream.wait(60) != 0:
            sys.exit(f"bench: the stream ended with {stream.returncode}")

    def latency(self):
        head, lines = self.made_lines()
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir="build/bench") as folder:
            folder = os.path.abspath(folder)
            words = self.job(folder, "{ rows = 50000, ms = 5 }", self.net())
            stream = self.start(folder, words)
            begun = time.perf_counter()
            for number in range(int(RATE * SECONDS * self.scale) // EACH_FILE):
                first = number * EACH_FILE % (len(lines) - EACH_FILE)
                self.put(folder, f"{number:06}.csv", head, lines[first:first + EACH_FILE])
                time.sleep(max(0, begun + (number + 1) * EACH_FILE / RATE - time.perf_counter()))
            time.sleep(1)
            status = self.status(words)
            self.end(stream)
        for share in ("p50", "p99"):
            yield {"figure": f"{RATE:,} rows/s, folder, {share}", "value": status["latency_ms"][share], "unit": "ms"}

    # Memory in MiB, open files, and bytes of the log.
    @staticmethod
    def held(pid, folder):
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            resident = next(int(line.split()[1]) for line in file if line.startswith("VmRSS"))
        log = f"{folder}/streams/live/log.jsonl"
        return resident / 1024, len(os.listdir(f"/proc/{pid}/fd")), os.path.getsize(log)

    def day(self):
        head, lines = self.lines()
        files, seconds = int(DAY_FILES * self.scale), DAY_SECONDS * self.scale
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as folder:
            words = self.job(folder, "{ rows = 50000, ms = 5 }")
            stream, seen = self.start(folder, words), []
            begun = time.perf_counter()
            for number in range(files):
                first = number * 10 % (len(lines) - 10)
                self.put(folder, f"{number:06}.csv", head, lines[first:first + 10])
                time.sleep(max(0, begun + (number + 1) * seconds / files - time.perf_counter()))
                if number in (files // 10, files - 1):
                    seen.append(self.held(stream.pid, folder))
            time.sleep(1)
            rows = self.status(words)["rows"]
            self.end(stream)
            if rows != files * 10:
                sys.exit(f"bench: {rows} of {files * 10} rows were scored")
        (early, early_files, _), (late, late_files, log) = seen
        yield {"figure": "a day of small files, memory after / at a tenth", "value": late / early, "unit": ""}
        yield {"figure": "a day of small files, more open files", "value": late_files - early_files, "unit": ""}
        yield {"figure": "a day of small files, log", "value": log / 1e6, "unit": "MB"}

    def ours(self):
        self.prepare()
        yield from self.made_folder()
        yield from self.latency()
        yield from self.folder_to_folder()
        yield from self.replay()

    # Spark has started and has scored a file before anything is measured.
    def theirs(self):
        with tempfile.TemporaryDirectory(prefix="protium-bench-", dir="build/bench") as folder:
            folder = os.path.abspath(folder)
            os.makedirs(f"{folder}/in")
            rows = self.put_made(f"{folder}/in")
            self.run("export", self.net(), "--to", "onnx", "--output", f"{folder}/net.onnx")
            head, lines = self.made_lines()
            with open(f"{folder}/lines.csv", "w", encoding="utf-8") as file:
                file.writelines([head, *lines])
            done = subprocess.run([self.python, "bench/peers/streams.py", folder, str(rows), str(RATE),
                                   str(SECONDS * self.scale), str(EACH_FILE)], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"bench: Spark ended with {done.returncode}: {done.stderr[-2000:]}")
        return self.figures_in(done.stdout)

    def soak(self):
        self.prepare()
        yield from self.day()
