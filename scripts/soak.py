# SPDX-License-Identifier: Apache-2.0
"""Runs the flights job again and again with a gang that bends, while workers are killed, stopped,
sent away and taken in at random, and on Spark their executors, too; every run must end with the
weights of one that was left alone on this machine. With --tables, rows of ids lie on servers.

A line for each run: what was done to it, the pauses of its gang, and whether the weights agree.
"""

import argparse
import datetime
import glob
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import time

PATIENCE_S = 180
MARK = "PROTIUM_SOAK"
# More restarts than a run is disturbed: one that is left with a single worker may lose it each time.
SETTINGS = ("train.epochs=40", "train.batch_size=256", "train.checkpoint.every_steps=200", "gang.deadline=3",
            "gang.max_restarts=9")
# On Spark a newcomer takes seconds to come.
SPARK_SETTINGS = ("train.epochs=150",)
CHOICES = ("kill", "kill", "kill", "stop", "two", "scale")
# With --trees the job grows a forest instead, from the same table.
TREES_SETTINGS = ("train.checkpoint.every_steps=50", "gang.deadline=3", "gang.max_restarts=9")
TREES = """[[pipeline]]
kind        = "tree_estimator"
categorical = [{ stage = "index" }]
numeric     = ["dep_delay", "distance", "week", "day_of_year", "previous_delay", "temp", "dewp", "humid", "wind_dir", \
"wind_speed", "precip", "pressure", "visib", "plane_age", "seats", "lat", "lon"]
label       = "arr_delay"
trees       = { rounds = 800, leaves = 31, rows = 0.8 }

[train]
validation  = { share = 0.1, by = ["year", "month", "day"] }
"""
# With --tables a gang has a fixed size; it begins again when rank 0 is disturbed.
TABLES_SETTINGS = ("train.epochs=8", "train.checkpoint.every_steps=50", "gang.deadline=3", "gang.max_restarts=9")
TABLES_CHOICES = ("kill", "kill", "two", "stop")
# What a server's workers may take to see that their run has ended.
LEAVE_S = 20


class Run:
    def __init__(self, command, job, data, folder, workers, settings=SETTINGS):
        self.folder, self.offset, self.events = folder, 0, []
        argv = [command, "run", job, "--json", "--runs-dir", folder, "--set", f"data={data}"]
        for setting in (*settings, f"gang.workers={workers}"):
            argv += ["--set", setting]
        self.command = command
        self.errors = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=self.errors, text=True,
                                        env={**os.environ, MARK: str(os.getpid())})
        self.begun = time.monotonic()

    # Reads what the run has told since the last call.
    def look(self):
        runs = [each for each in os.listdir(self.folder) if os.path.isdir(f"{self.folder}/{each}")]
        if not runs or not os.path.exists(f"{self.folder}/{runs[0]}/events.jsonl"):
            return
        with open(f"{self.folder}/{runs[0]}/events.jsonl", "rb") as events:
            events.seek(self.offset)
            for line in events:
                if not line.endswith(b"\n"):
                    break
                self.offset += len(line)
                self.events.append(json.loads(line))

    def named(self, name):
        return [each for each in self.events if each["event"] == name]

    # Every process that was a member.
    def seen(self):
        return [seat["pid"] for event in self.named("gang_start") for seat in event["ranks"]] + [
            event["pid"] for name in ("member_start", "rank_taken_over") for event in self.named(name)]

    # Processes of the gang, by member; those that were lost or called out of it are gone.
    def members(self):
        pids, inside = {}, []
        for event in self.events:
            if event["event"] == "gang_start":
                pids = {seat["rank"]: seat["pid"] for seat in event["ranks"]}
                inside = list(pids)
            elif event["event"] == "member_start":
                pids[event["rank"]] = event["pid"]
            elif event["event"] == "rank_taken_over":
                pids[event["rank"]] = event["pid"]
            elif event["event"] == "rank_lost":
                pids.pop(event["rank"], None)
            elif event["event"] == "gang_change":
                for member in set(inside) - set(event["members"]):
                    pids.pop(member, None)
                inside = event["members"]
        return pids

    def trains(self):
        return bool(self.named("step"))

    def ended(self):
        return self.process.poll() is not None

    def finish(self):
        try:
            out, _ = self.process.communicate(timeout=PATIENCE_S)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return None, "it did not end"
        self.look()
        self.errors.seek(0)
        if self.process.returncode != 0:
            return None, f"exit {self.process.returncode}: {self.errors.read()[-1500:]}"
        with open(f"{json.loads(out.splitlines()[-1])['folder']}/result.json", encoding="utf-8") as result:
            return json.load(result)["weights_sha256"], ""


def parent(pid):
    with open(f"/proc/{pid}/stat", encoding="ascii") as stat:
        return int(stat.read().rsplit(")", 1)[1].split()[1])


def choices(arguments):
    if arguments.tables:
        return TABLES_CHOICES
    return (*CHOICES, "executor") if arguments.engine else CHOICES


def disturb(run, chance, done, kills, those):
    pids = list(run.members().values())
    what = chance.choice(those)
    if what == "scale":
        wanted = chance.randint(1, 3)
        subprocess.run([run.command, "scale", "last", str(wanted), "--runs-dir", run.folder], check=False,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        done.append(f"scale {wanted}")
        return
    for pid in chance.sample(pids, min(len(pids), 2 if what == "two" else 1)):
        try:
            # An executor started the daemon that forked the worker.
            os.kill(parent(parent(pid)) if what == "executor" else pid,
                    signal.SIGSTOP if what == "stop" else signal.SIGKILL)
            done.append("kill" if what == "two" else what)
            if what == "kill":
                kills.append(time.time())
        except (ProcessLookupError, FileNotFoundError):
            pass


def one(arguments, seed):
    chance, done, kills = random.Random(seed), [], []
    with tempfile.TemporaryDirectory(prefix="protium-soak-") as folder:
        workers, own = "{min=1,max=3}", ()
        if arguments.tables:
            workers = chance.randint(1, 3)
            own = (f"gang.servers={chance.randint(1, 3)}", f"engine.rows_memory={chance.choice(('1MiB', '1GiB'))}")
        run = Run(arguments.command, arguments.job, arguments.data, folder, workers, (*placed(arguments), *own))
        next_at = None
        while not run.ended() and time.monotonic() - run.begun < PATIENCE_S:
            time.sleep(0.01)
            run.look()
            if next_at is None and run.trains():
                next_at = time.monotonic() + chance.uniform(0, 0.5)
            if next_at is not None and time.monotonic() >= next_at and len(done) < 4:
                disturb(run, chance, done, kills, choices(arguments))
                next_at = time.monotonic() + chance.uniform(0.05, 5 if arguments.engine else 1)
        weights, error = run.finish()
        if weights and still_there(run.seen()):
            weights, error = None, f"processes still there: {run.seen()}"
        return weights, error, done, run.named("gang_entered"), len(run.named("restart")), going_on(run, kills)


def settings(arguments):
    if arguments.trees:
        return TREES_SETTINGS
    if arguments.tables:
        return TABLES_SETTINGS
    return (*SETTINGS, *SPARK_SETTINGS) if arguments.engine else SETTINGS


def placed(arguments):
    chosen = settings(arguments)
    return (*chosen, f"engine={arguments.engine}") if arguments.engine else chosen


# The job up to the stages that only nets need, followed by a forest.
def with_trees(job, folder):
    with open(job, encoding="utf-8") as text:
        head = text.read().split('[[pipeline]]\nkind   = "imputer"')[0]
    path = f"{folder}/trees.toml"
    with open(path, "w", encoding="utf-8") as out:
        out.write(head + TREES)
    return path


# Those of a run's members that have not ended in good time.
def still_there(pids):
    until = time.monotonic() + LEAVE_S
    while any(os.path.exists(f"/proc/{pid}") for pid in pids) and time.monotonic() < until:
        time.sleep(0.1)
    return [pid for pid in pids if os.path.exists(f"/proc/{pid}")]


# From each kill to the next step's begin, in seconds; of kills with another one soon after them, the
# last.
def going_on(run, kills):
    entered = [datetime.datetime.fromisoformat(each["time"].replace("Z", "+00:00")).timestamp()
               for each in run.named("gang_entered") if each["after_death"]]
    times = []
    for kill, after in zip(kills, kills[1:] + [float("inf")]):
        next_entered = min((each for each in entered if each >= kill - 0.001), default=None)
        if next_entered is not None and next_entered < after and next_entered - kill < 2:
            times.append(max(next_entered - kill, 0))
    return times


# Processes that a run has left: all that it starts inherit the mark.
def left_behind():
    found = []
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as environment:
                if f"{MARK}={os.getpid()}".encode() in environment.read().split(b"\0"):
                    found.append(path.split("/")[2])
        except OSError:
            continue
    return [pid for pid in found if pid != str(os.getpid())]


def main():
    parser = argparse.ArgumentParser(prog="./dev soak", description=__doc__)
    parser.add_argument("runs", type=int, nargs="?", default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", required=True)
    parser.add_argument("--job", required=True)
    parser.add_argument("--data", required=True)
    parser.add_argument("--engine", help="of the disturbed runs: a Spark server on this machine")
    parser.add_argument("--trees", action="store_true", help="forests instead of nets")
    parser.add_argument("--tables", action="store_true", help="tables of ids on servers, in gangs of a fixed size")
    arguments = parser.parse_args()
    jobs = tempfile.TemporaryDirectory(prefix="protium-soak-job-")
    arguments.data = os.path.abspath(arguments.data)
    if arguments.trees:
        arguments.job = with_trees(arguments.job, jobs.name)
    with tempfile.TemporaryDirectory(prefix="protium-soak-") as folder:
        alone, error = Run(arguments.command, arguments.job, arguments.data, folder, 2,
                           settings(arguments)).finish()
    if alone is None:
        sys.exit(f"soak: the run left alone failed:\n{error}")
    cuts, edges, going, restarts, wrong, disturbed = [], [], [], 0, 0, 0
    for seed in range(arguments.seed, arguments.seed + arguments.runs):
        weights, error, done, entered, restarted, after_kills = one(arguments, seed)
        going += after_kills
        pauses = [f"{each['pause_seconds'] * 1000:.0f}" for each in entered]
        cuts += [each["pause_seconds"] for each in entered if each["after_death"]]
        edges += [each["pause_seconds"] for each in entered if not each["after_death"]]
        restarts += restarted
        disturbed += len(done)
        same = weights == alone
        wrong += not same
        print(f"seed {seed:4}  {'same weights' if same else 'WRONG: ' + (error or str(weights))}  {', '.join(done)}  "
              f"pauses ms: {' '.join(pauses)}{'  restarted' if restarted else ''}", flush=True)
    for name, pauses in (("after a death, of a rank", cuts), ("at an edge, of a rank", edges),
                         ("from kill -9 to the next step", going)):
        if pauses:
            print(f"{name}: {len(pauses)} pauses, median {statistics.median(pauses) * 1000:.0f} ms, "
                  f"worst {max(pauses) * 1000:.0f} ms")
    behind = left_behind()
    print(f"{arguments.runs} runs, {disturbed} disturbances, {restarts} restarts, {wrong} wrong, "
          f"{len(behind)} processes left behind")
    sys.exit(1 if wrong or behind else 0)


if __name__ == "__main__":
    main()
