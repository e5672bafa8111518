# SPDX-License-Identifier: Apache-2.0
"""The flights job from a PostgreSQL server and back into it, killed again and again while it commits.

First the job is run from its CSV files and from the server: the weights and the scored rows must be the same, bit for
bit. Then runs that append their scored rows are killed at random moments from the first statement of their commit on,
and resumed: the rows of each must be in the table once. Fails where that is not so."""

import argparse
import glob
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, "bench")
from sources import Postgres  # noqa: E402

TABLES = ("flights", "weather", "planes", "airports", "airlines")
COLUMNS = ("year", "month", "day", "origin", "dest", "dep_delay", "arr_delay", "prediction")
# The longest that a run is let go on after its commit began; most are killed much sooner.
MOST_S = 0.3
PATIENCE_S = 300


class Jobs:
    def __init__(self, arguments, folder, url):
        self.command, self.folder, self.url = os.path.abspath(arguments.command), folder, url
        self.data = os.path.abspath(arguments.data)
        with open(arguments.job, encoding="utf-8") as job:
            self.text = job.read()

    def protium(self, *words):
        done = subprocess.run([self.command, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False)
        if done.returncode != 0:
            sys.exit(f"soak: protium {words[0]} ends with {done.returncode}: {done.stderr}")
        return done.stdout

    def write(self, name, text):
        path = f"{self.folder}/{name}.toml"
        with open(path, "w", encoding="utf-8") as job:
            job.write(text)
        return path

    # Every table as it is read from CSV, in the server.
    def load(self):
        (tables,) = re.findall(r"^\[tables\]\n.*?\n\n", self.text, re.MULTILINE | re.DOTALL)
        for table in TABLES:
            job = self.write("load", f'name = "load"\ndata = "{self.data}"\n{tables}[etl]\nsql = "SELECT * FROM {table}"\n'
                                     f'[outputs]\nloaded = {{ postgres = "{self.url}", table = "{table}" }}\n')
            self.protium("run", job, "--runs-dir", f"{self.folder}/loads")

    # The job from the server, its scored rows appended to the table `late`.
    def from_server(self):
        tables = "".join(f'{each} = {{ postgres = "{self.url}", table = "{each}" }}\n' for each in TABLES)
        text = re.sub(r"^\[tables\]\n.*?\n\n", f"[tables]\n{tables}\n", self.text, flags=re.MULTILINE | re.DOTALL)
        head = text[:text.index("[outputs]")]
        return self.write("served", f'{head}[outputs]\nlate = {{ postgres = "{self.url}", table = "late", mode = "append", '
                                    f"columns = {json.dumps(COLUMNS)} }}\n")

    # The weights' hash of the only run in the folder.
    @staticmethod
    def weights(runs):
        (result,) = glob.glob(f"{runs}/*/result.json")
        with open(result, encoding="utf-8") as file:
            return json.load(file)["weights_sha256"]

    def rows(self, place):
        columns = ", ".join(COLUMNS)
        out = f"{self.folder}/rows.csv"
        self.protium("sql", f"SELECT {columns} FROM t ORDER BY {columns}", "--table", f"t={place}", "--output", out,
                     "--force")
        with open(out, encoding="utf-8") as file:
            return file.read()


def said(log, since):
    with open(log, "rb") as file:
        file.seek(since)
        return b"protium_commits" in file.read()


# Kills a run in its commit; false if that was over first.
def kill(jobs, job, runs, log, rng):
    since = os.path.getsize(log)
    errors = tempfile.TemporaryFile("w+")
    run = subprocess.Popen([jobs.command, "run", job, "--runs-dir", runs, "--set", "train.epochs=1"],
                           stdout=subprocess.DEVNULL, stderr=errors)
    until = time.monotonic() + PATIENCE_S
    while run.poll() is None and not said(log, since):
        if time.monotonic() > until:
            sys.exit("soak: a run does not come to its commit")
        time.sleep(0.002)
    time.sleep(MOST_S * rng.random() ** 4)
    killed = run.poll() is None
    if not killed and run.returncode != 0:
        errors.seek(0)
        sys.exit(f"soak: a run that was not killed ends with {run.returncode}: {errors.read()}")
    run.send_signal(signal.SIGKILL)
    run.wait()
    return killed


def check(what, holds):
    print(f"{what}: {'yes' if holds else 'NO'}", flush=True)
    if not holds:
        sys.exit(1)


def main():
    options = argparse.ArgumentParser(description=__doc__)
    for name in ("command", "job", "data"):
        options.add_argument(f"--{name}", required=True)
    options.add_argument("--kills", type=int, default=30)
    options.add_argument("--seed", type=int, default=37)
    arguments = options.parse_args()
    rng = random.Random(arguments.seed)
    with tempfile.TemporaryDirectory(prefix="protium-soak-") as folder, open(f"{folder}/log", "wb") as log:
        postgres = Postgres(log)
        try:
            soak(Jobs(arguments, folder, postgres.url()), postgres, f"{folder}/log", arguments.kills, rng)
        finally:
            postgres.end()


def soak(jobs, postgres, log, kills, rng):
    jobs.load()
    job = jobs.from_server()
    csv, served = f"{jobs.folder}/csv", f"{jobs.folder}/served"
    jobs.protium("run", jobs.write("csv", jobs.text), "--runs-dir", csv, "--set", f"data={jobs.data}")
    jobs.protium("run", job, "--runs-dir", served)
    print(f"weights_sha256 from CSV: {jobs.weights(csv)}")
    check("the weights from PostgreSQL are the same", jobs.weights(served) == jobs.weights(csv))
    (scored,) = glob.glob(f"{csv}/*/predictions.parquet")
    there = jobs.rows(f"{jobs.url}#late")
    rows = there.count("\n") - 1
    check(f"the {rows} scored rows in PostgreSQL are the same", there == jobs.rows(scored))
    runs = done = before = 0
    while done < kills:
        runs += 1
        folder = f"{jobs.folder}/killed-{runs}"
        done += kill(jobs, job, folder, log, rng)
        before += int(postgres.sql("SELECT count(*) FROM late")) == rows * (runs + 1)
        for run in glob.glob(f"{folder}/*/"):
            jobs.protium("resume", run)
        there = postgres.sql("SELECT count(*), (SELECT count(*) FROM protium_commits WHERE output = 'late') FROM late")
        if there != f"{rows * (runs + 1)}|{runs + 1}":
            check(f"after kill {done}, {rows * (runs + 1)} rows of {runs + 1} runs, not {there}", False)
    print(f"after {done} kills, {before} of which found the commit made, the rows of {runs} runs are there once")


if __name__ == "__main__":
    main()
