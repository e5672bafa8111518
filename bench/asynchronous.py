# SPDX-License-Identifier: Apache-2.0
"""Four workers and a server of which one worker is five times as slow: rows a second that a training of the job
examples/clicks takes in with train.mode = "server" beside exact mode, and what each learns.

The slow worker is stopped for four fifths of its time.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

FOLDER = "build/bench"
ROWS, IDS, WORKERS, SHARDS, EPOCHS = 200_000, 100_000, 4, 16, 3
SLOW_RANK = 1
RUNS_S, STOPPED_S = 0.004, 0.016
MODES = {"exact": ("train.mode=exact",),
         "server, staleness 4": ("train.mode=server", "train.staleness=4"),
         "server, staleness none": ("train.mode=server", 'train.staleness="none"')}


# Stops the process of a rank most of the time, from the moment that it trains.
class Slow(threading.Thread):
    def __init__(self, events):
        super().__init__(daemon=True)
        self.events, self.over = events, threading.Event()

    def pid(self):
        pid, trains = None, False
        if not os.path.exists(self.events):
            return None
        with open(self.events, encoding="utf-8") as lines:
            for line in lines:
                if line.endswith("\n"):
                    event = json.loads(line)
                    if event.get("event") == "gang_start":
                        pid = event["ranks"][SLOW_RANK]["pid"]
                    trains = trains or event.get("event") == "train_start"
        return pid if trains else None

    def run(self):
        pid = None
        while pid is None and not self.over.is_set():
            pid = self.pid()
            time.sleep(0.02)
        try:
            while not self.over.is_set():
                os.kill(pid, signal.SIGSTOP)
                time.sleep(STOPPED_S)
                os.kill(pid, signal.SIGCONT)
                time.sleep(RUNS_S)
        except ProcessLookupError:
            pass

    def finish(self):
        self.over.set()
        self.join()


class Asynchronous:
    def __init__(self, clicks):
        self.clicks = clicks
        self.folder = f"{FOLDER}/asynchronous"

    def table(self):
        folder = f"{self.folder}/{IDS}"
        if not os.path.isdir(folder):
            self.clicks.run(self.clicks.protium, "example", "clicks", folder, "--rows", str(ROWS), "--ids", str(IDS))
        return folder

    # What a run has found out, and its events.
    def job(self, settings, slow):
        runs = f"{self.folder}/runs"
        shutil.rmtree(runs, ignore_errors=True)
        command = [self.clicks.protium, "run", "examples/clicks/clicks.toml", "--runs-dir", runs, "--json"]
        for each in (f"data={self.table()}", f"gang.workers={WORKERS}", "gang.servers=1", f"train.shards={SHARDS}",
                     f"train.epochs={EPOCHS}", "train.validation.share=0.02", "train.validation.importance_rows=0",
                     *settings):
            command += ["--set", each]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            while run.poll() is None and not (os.path.isdir(runs) and os.listdir(runs)):
                time.sleep(0.02)
            slowed = Slow(os.path.join(runs, next(iter(os.listdir(runs)), "none"), "events.jsonl")) if slow else None
            if slowed:
                slowed.start()
            out, err = run.communicate(timeout=1800)
            if slowed:
                slowed.finish()
        if run.returncode != 0:
            sys.exit(f"bench: {' '.join(command)} ended with {run.returncode}:\n{err[-2000:]}")
        folder = json.loads(out.strip().splitlines()[-1])["folder"]
        with open(os.path.join(folder, "result.json"), encoding="utf-8") as result:
            said = json.load(result)
        with open(os.path.join(folder, "events.jsonl"), encoding="utf-8") as lines:
            return said, [json.loads(line) for line in lines]

    # Rows of the epochs after the first, of which each also validates.
    @staticmethod
    def rate(said):
        spent = said["history"][-1]["seconds"] - said["history"][0]["seconds"]
        return said["rows"] * (EPOCHS - 1) / spent / 1e6

    def ours(self):
        for slow in (False, True):
            rates = {}
            for name, settings in MODES.items():
                said, events = self.job(settings, slow)
                rates[name] = self.rate(said)
                figure = f"{name}{', a slow worker' if slow else ''}"
                yield {"figure": f"{figure}, rate", "value": rates[name], "unit": "M rows/s"}
                yield {"figure": f"{figure}, log_loss", "value": said["metrics"]["test"]["log_loss"], "unit": ""}
                rounds = [each for each in events if each.get("event") == "servers_stepped"]
                if rounds:
                    ahead = max(each["most_ahead"] for each in rounds)
                    yield {"figure": f"{figure}, most steps ahead", "value": ahead, "unit": ""}
            for name in list(MODES)[1:]:
                yield {"figure": f"{name}{', a slow worker' if slow else ''} / exact, rate",
                       "value": rates[name] / rates["exact"], "unit": "x"}
