# SPDX-License-Identifier: Apache-2.0
"""The flights job as its tables grow: ours beside DuckDB alone (ETL) and beside a program written by
hand (the whole), in turn on the same tables.

Every answer is checked: all sides must see as many rows, and predict about as well.
"""

import glob
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time

PATIENCE_S = 1800
MADE_ROWS = (500_000, 5_000_000, 10_000_000)
# One epoch in batches of 4096 on made tables; the real ones run as the job says.
MADE_SETTINGS = {"train.epochs": 1, "train.batch_size": 4096}
# How far rmse may lie apart, since each side splits the days in its own way. An epoch of few steps
# has not learned much yet: then only its size is looked at.
APART, APART_EARLY, FEW_STEPS = 1.1, 1.5, 500
MEBI = 1 << 20


class Peaks(threading.Thread):
    """The most memory that a process and, apart from it, any of its descendants had resident."""

    def __init__(self, pid):
        super().__init__(daemon=True)
        self.pid, self.driver, self.worker, self.ended = pid, 0, 0, threading.Event()

    def run(self):
        while not self.ended.wait(0.05):
            self.driver = max(self.driver, resident(self.pid))
            for pid in descendants(self.pid):
                self.worker = max(self.worker, resident(pid))


def resident(pid):
    try:
        with open(f"/proc/{pid}/status", encoding="ascii") as status:
            return next((int(line.split()[1]) * 1024 for line in status if line.startswith("VmHWM")), 0)
    except (FileNotFoundError, ProcessLookupError):
        return 0


# Whichever thread started them.
def descendants(pid):
    for path in glob.glob(f"/proc/{pid}/task/*/children"):
        try:
            with open(path, encoding="ascii") as children:
                found = [int(child) for child in children.read().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in found:
            yield child
            yield from descendants(child)


# What a command prints as JSON lines, in one dictionary, and its peaks.
def answers(command):
    begun = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        peaks = Peaks(process.pid)
        peaks.start()
        try:
            out, err = process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit(f"bench: {' '.join(command)} took more than {PATIENCE_S} s")
        peaks.ended.set()
    if process.returncode != 0:
        sys.exit(f"bench: {' '.join(command)} ended with {process.returncode}:\n{err[-2000:]}")
    said = {"wall": time.perf_counter() - begun, "driver_bytes": peaks.driver, "worker_bytes": peaks.worker}
    for line in out.splitlines():
        if line.startswith("{"):
            said |= json.loads(line)
    return said


class Bench:
    def __init__(self, binaries, python, job, memory):
        self.binaries, self.python, self.job, self.memory = binaries, python, job, memory

    def tables(self, rows):
        folder = f"build/bench/flights-{rows}"
        if not os.path.exists(f"{folder}/flights.csv"):
            subprocess.run([f"{self.binaries}/protium", "example", "flights", folder, "--rows", str(rows)],
                           check=True, stdout=subprocess.DEVNULL)
        return folder

    def ours(self, folder, settings):
        chosen = dict(settings, **({"engine.memory": self.memory} if self.memory else {}))
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as runs:
            said = answers([f"{self.binaries}/protium", "run", self.job, "--set", f"data={os.path.abspath(folder)}",
                            "--runs-dir", runs, "--json",
                            *[part for key, value in chosen.items() for part in ("--set", f"{key}={value}")]])
            with open(f"{said['folder']}/result.json", encoding="utf-8") as result:
                said |= json.load(result)
        test, line = said["metrics"]["test"], said["metrics"]["baseline"]
        if test["rows"] == 0 or (said["steps"] >= FEW_STEPS and not test["rmse"] < line["rmse"]):
            sys.exit(f"bench: the flights job learned nothing: {test} against {line}")
        return said

    def theirs(self, what, folder, epochs, batch):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as out:
            return answers([self.python, "bench/peers/by_hand.py", what, self.job, folder, out, str(epochs), str(batch)])

    # Rounds of all sides in turn; gives ours, DuckDB's and the program's by hand.
    def measure(self, folder, settings, rounds):
        epochs, batch = settings.get("train.epochs", 10), settings.get("train.batch_size", 512)
        sides = ([], [], [])
        for _ in range(rounds):
            sides[0].append(self.ours(folder, settings))
            if self.python:
                sides[1].append(self.theirs("etl", folder, epochs, batch))
                sides[2].append(self.theirs("job", folder, epochs, batch))
                check(sides[0][-1], sides[1][-1], sides[2][-1])
        return sides


# Rows with a label, on whichever side.
def rows_of(mine):
    return mine["rows"] + mine["metrics"]["validation"]["rows"] + mine["metrics"]["test"]["rows"]


def check(mine, duck, hand):
    seen = rows_of(mine)
    if not seen == duck["rows"] == hand["rows"]:
        sys.exit(f"bench: unlike rows: ours {seen}, DuckDB's {duck['rows']}, by hand {hand['rows']}")
    ours, theirs = mine["metrics"]["test"]["rmse"], hand["rmse"]
    if max(ours, theirs) > (APART if mine["steps"] >= FEW_STEPS else APART_EARLY) * min(ours, theirs):
        sys.exit(f"bench: unlike predictions: rmse {ours}, by hand {theirs}")


def median(side, value):
    return statistics.median(map(value, side)) if side else float("nan")


def print_line(name, mine, duck, hand):
    etl, job = median(mine, lambda s: s["seconds"]["etl"]), median(mine, lambda s: s["seconds"]["total"])
    flights = rows_of(mine[0])
    plain, whole = median(duck, lambda s: s["seconds"]), median(hand, lambda s: s["seconds"])
    print(f"{name:>12} {etl:7.2f} {plain:7.2f} {etl / plain:6.2f} {job:8.2f} {whole:8.2f} {whole / job:6.2f} "
          f"{job / flights * 1e6:8.2f} {median(mine, lambda s: s['driver_bytes']) / MEBI:8.0f} "
          f"{median(mine, lambda s: s['worker_bytes']) / MEBI:8.0f} {median(hand, lambda s: s['driver_bytes']) / MEBI:8.0f}",
          flush=True)


HEAD = (f"{'rows':>12} {'ETL s':>7} {'DuckDB':>7} {'ratio':>6} {'job s':>8} {'by hand':>8} {'ratio':>6} {'us/row':>8} "
        f"{'driver':>8} {'worker':>8} {'by hand':>8}\n{'':>12} {'':>7} {'':>7} {'<=1.3':>6} {'':>8} {'':>8} {'>=3, 5':>6} "
        f"{'':>8} {'MiB':>8} {'MiB':>8} {'MiB':>8}")


# `rows`: of made tables; `real`: the folder of the real ones, or None.
def run(binaries, python, job, rows, real, rounds, memory):
    bench = Bench(binaries, python, job, memory)
    print(HEAD, flush=True)
    if real:
        print_line("real tables", *bench.measure(real, {}, rounds or 3))
    for each in rows or MADE_ROWS:
        print_line(f"{each:,}", *bench.measure(bench.tables(each), MADE_SETTINGS, rounds or 1))
