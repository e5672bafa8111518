# SPDX-License-Identifier: Apache-2.0
"""The job examples/clicks over ids of which there are many: rows that a training step takes in, what is learned, memory.

The peer gets its rows as tensors and learns the same model from those that our job learned from.
"""

import json
import os
import shutil
import subprocess
import sys

FOLDER = "build/bench/clicks"
ROWS, IDS = 500_000, (10_000, 1_000_000, 10_000_000)
TIMED_IDS = 1_000_000
EPOCHS = 3
# Rows of ids on a server; its rows, and the packed ones, on the disk.
SERVED = {"1 server": (), "1 server, rows on the disk": ("engine.rows_memory=1MiB",)}


class Clicks:
    def __init__(self, binaries, torchrun, figures_in):
        self.protium, self.torchrun, self.figures_in = f"{binaries}/protium", torchrun, figures_in

    def run(self, *command):
        done = subprocess.run(command, capture_output=True, text=True, timeout=3600, check=False,
                              env={**os.environ, "OMP_NUM_THREADS": "1"})
        if done.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} ended with {done.returncode}:\n{done.stderr[-2000:]}")
        return done

    def table(self, ids):
        folder = f"{FOLDER}/{ids}"
        if not os.path.isdir(folder):
            self.run(self.protium, "example", "clicks", folder, "--rows", str(ROWS), "--ids", str(ids))
        return folder

    # What a run has found out, and the most memory that one of its processes took, in MiB.
    def job(self, ids, workers, more=()):
        runs = f"{FOLDER}/runs"
        shutil.rmtree(runs, ignore_errors=True)
        watched = ["/usr/bin/env", "python3", "-c",
                   "import resource, subprocess, sys\n"
                   "done = subprocess.run(sys.argv[1:])\n"
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)\n"
                   "sys.exit(done.returncode)"]
        settings = [f"data={self.table(ids)}", f"gang.workers={workers}", f"train.epochs={EPOCHS}",
                    "train.validation.share=0.02", "train.validation.importance_rows=0", *more]
        command = [self.protium, "run", "examples/clicks/clicks.toml", "--runs-dir", runs, "--json"]
        for each in settings:
            command += ["--set", each]
        lines = self.run(*watched, *command).stdout.strip().splitlines()
        with open(os.path.join(json.loads(lines[-2])["folder"], "result.json"), encoding="utf-8") as result:
            return json.load(result), float(lines[-1])

    # Rows of the epochs after the first, of which each also validates.
    @staticmethod
    def rate(said):
        spent = said["history"][-1]["seconds"] - said["history"][0]["seconds"]
        return said["rows"] * (EPOCHS - 1) / spent / 1e6

    def ours(self):
        weights = set()
        for workers in (1, 2):
            said, _ = self.job(TIMED_IDS, workers)
            weights.add(said["weights_sha256"])
            yield {"figure": f"clicks, {workers} workers", "value": self.rate(said), "unit": "M rows/s"}
        for name, more in SERVED.items():
            said, _ = self.job(TIMED_IDS, 1, ("gang.servers=1", *more))
            weights.add(said["weights_sha256"])
            yield {"figure": f"clicks, 1 worker, {name}", "value": self.rate(said), "unit": "M rows/s"}
        if len(weights) != 1:
            sys.exit("bench: gangs have learned different weights")
        os.replace(said["outputs"][0], f"{FOLDER}/scored.parquet")
        yield {"figure": "clicks, log_loss", "value": said["metrics"]["test"]["log_loss"], "unit": ""}
        for ids in IDS:
            said, memory = self.job(ids, 1)
            yield {"figure": f"clicks, {ids:,} ids, peak memory", "value": memory, "unit": "MiB"}

    def theirs(self):
        done = self.run(*self.torchrun, "bench/peers/clicks.py", f"{self.table(TIMED_IDS)}/clicks.csv",
                        f"{FOLDER}/scored.parquet", str(EPOCHS))
        return self.figures_in(done.stdout)
