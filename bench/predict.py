# SPDX-License-Identifier: Apache-2.0
"""Scoring 10 M rows of Parquet to Parquet, beside ONNX Runtime over the same file with the same weights."""

import json
import os
import subprocess
import sys
import tempfile
import time

FOLDER = "build/bench/predict"
JOB = "bench/tables/made.toml"
ROWS = 10_000_000


class Predict:
    def __init__(self, binaries, python, figures_in):
        self.protium, self.python, self.figures_in = f"{binaries}/protium", python, figures_in

    def table(self, name, rows):
        path = f"{FOLDER}/{name}.parquet"
        if not os.path.exists(path):
            os.makedirs(FOLDER, exist_ok=True)
            subprocess.run([self.python, "bench/peers/predict.py", "table", path, str(rows), str(rows)], check=True)
        return path

    # Trained once; both sides score with it.
    def model(self):
        self.table("made", 200_000)
        if not os.path.isdir(f"{FOLDER}/runs"):
            subprocess.run([self.protium, "run", JOB, "--set", f"data={os.path.abspath(FOLDER)}", "--runs-dir",
                            f"{FOLDER}/runs"], check=True, capture_output=True)
        return f"{FOLDER}/runs/{sorted(os.listdir(f'{FOLDER}/runs'))[-1]}/model"

    # Seconds, and the peak of the driver's resident memory in MiB, of which mapped files are a part.
    def score(self, rows, *more):
        path, model = self.table(f"rows-{rows}", rows), self.model()
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as out:
            begun = time.perf_counter()
            command = subprocess.Popen([self.protium, "predict", "--model", model, "--input", path, "--output",
                                        f"{out}/scored.parquet", "--json", *more], stdout=subprocess.PIPE,
                                       stderr=subprocess.DEVNULL)
            said = command.stdout.read()
            _, status, used = os.wait4(command.pid, 0)
            command.returncode = os.waitstatus_to_exitcode(status)
            if command.returncode != 0 or json.loads(said)["rows_out"] != rows:
                sys.exit(f"bench: predict ended with {command.returncode}: {said}")
        return time.perf_counter() - begun, used.ru_maxrss / 1024

    def ours(self):
        _, small = self.score(ROWS // 10)
        seconds, large = self.score(ROWS)
        in_int8, _ = self.score(ROWS, "--precision", "int8", "--most-loss", "1")
        yield {"figure": "predict 10 M rows", "value": seconds, "unit": "s"}
        yield {"figure": "predict, peak memory", "value": large, "unit": "MiB"}
        yield {"figure": "predict, peak memory for 1 M rows", "value": small, "unit": "MiB"}
        yield {"figure": "predict in int8 / in float32, rate", "value": seconds / in_int8, "unit": ""}

    def theirs(self):
        with tempfile.TemporaryDirectory(prefix="protium-bench-") as out:
            done = subprocess.run([self.python, "bench/peers/predict.py", "score", self.model(),
                                   self.table(f"rows-{ROWS}", ROWS), f"{out}/scored.parquet"],
                                  check=True, capture_output=True, text=True)
        return self.figures_in(done.stdout)
