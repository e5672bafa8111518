# SPDX-License-Identifier: Apache-2.0
"""exported.py PROTIUM REPOSITORY: exports a run and lets the tools that it is for read the files.

Exits with 77 where they are not installed (bench/peers/setup.sh).
"""

import json
import os
import re
import subprocess
import sys
import tempfile

try:
    import duckdb
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_open_metrics
    from prometheus_client.parser import text_string_to_metric_families as read_prometheus
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError as error:
    print(f"skipped: {error.name} is not in .deps/peers (bench/peers/setup.sh)")
    sys.exit(77)

import mlflow_server

protium, repository = sys.argv[1:]


def run(*words):
    return subprocess.run([protium, *words], check=True, capture_output=True, text=True).stdout


def check_tensorboard(name, result):
    run("export", name, "--to", "tensorboard")
    events = EventAccumulator(os.path.join("tensorboard", name), size_guidance={"scalars": 0})
    events.Reload()
    losses = [(each.step, each.value) for each in events.Scalars("epoch/loss")]
    history = [(each["step"], each["loss"]) for each in result["history"]]
    assert [step for step, _ in losses] == [step for step, _ in history]
    assert all(abs(a - b) < 1e-6 for (_, a), (_, b) in zip(losses, history))
    test = events.Scalars("test/rmse")[-1].value
    assert abs(test - result["metrics"]["test"]["rmse"]) < 1e-4
    assert "settings" in events.Tags()["tensors"]


def check_metrics(name, result):
    for to, read in (("prometheus", read_prometheus), ("openmetrics", read_open_metrics)):
        families = {each.name: each for each in read(run("export", name, "--to", to, "--output", "-"))}
        sample = next(each for each in families["protium_test"].samples if each.labels["metric"] == "rmse")
        assert sample.value == result["metrics"]["test"]["rmse"]


def check_board(name):
    with open(os.path.join(repository, "deploy/grafana/protium.json"), encoding="utf-8") as file:
        board = json.load(file)
    families = {each.name for each in read_prometheus(run("export", name, "--to", "prometheus", "--output", "-"))}
    asked = {found for panel in board["panels"] for target in panel["targets"]
             for found in re.findall(r"protium_\w+", target["expr"])}
    assert asked and asked <= families, asked - families


# What viewers of traces want of a thread: slices lie within each other, or apart.
def check_trace(name):
    trace = json.loads(run("export", name, "--to", "trace", "--output", "-"))
    lanes = {}
    for event in trace["traceEvents"]:
        if event["ph"] == "X":
            lanes.setdefault((event["pid"], event["tid"]), []).append((event["ts"], -event["dur"], event["name"]))
    for slices in lanes.values():
        ends = []
        for begin, minus, name in sorted(slices):
            while ends and ends[-1] <= begin + 1:
                ends.pop()
            assert not ends or begin - minus <= ends[-1] + 1, (name, begin, -minus)
            ends.append(begin - minus)
    ranks = [names for (process, _), slices in lanes.items() if process == 2 for names in [{each[2] for each in slices}]]
    assert len(ranks) == 2 and all({"train", "forward", "backward", "reduce"} <= each for each in ranks), ranks


# What is asked of a trace: which lanes ran at the same time, and for how long. The slices are a
# table, as they are for Perfetto's own processor.
OVERLAP = """
    SELECT coalesce(sum(least(a.ts + a.dur, b.ts + b.dur) - greatest(a.ts, b.ts)), 0) / 1e6
    FROM slices a JOIN slices b ON a.ts < b.ts + b.dur AND b.ts < a.ts + a.dur
    WHERE {} AND {}"""
STEP = "IN ('rows', 'forward', 'backward', 'reduce', 'optimizer')"


def check_overlap(name, result):
    trace = json.loads(run("export", name, "--to", "trace", "--output", "-"))
    slices = [(each["pid"], each["tid"], each["name"], each["ts"], each["dur"], each["args"].get("steps"))
              for each in trace["traceEvents"] if each["ph"] == "X"]
    table = duckdb.connect()
    table.execute("CREATE TABLE slices (pid INT, tid INT, name TEXT, ts DOUBLE, dur DOUBLE, steps INT)")
    table.executemany("INSERT INTO slices VALUES (?, ?, ?, ?, ?, ?)", slices)

    def ask(sql):
        return table.execute(sql).fetchone()[0]

    def overlap(one, other):
        return ask(OVERLAP.format(one, other))

    def share(of, rank):
        return ask(f"SELECT sum(dur) FILTER (name = '{of}') / sum(dur) FROM slices"
                   f" WHERE pid = 2 AND tid = {rank} AND name <> 'train'")

    # The engine read and wrote tables while "etl" went on, and no rank made a step meanwhile.
    etl = ask("SELECT sum(dur) / 1e6 FROM slices WHERE pid = 1 AND tid = 1 AND name = 'etl'")
    assert abs(etl - result["seconds"]["etl"]) < 0.3, (etl, result["seconds"])
    engine = overlap("a.pid = 1 AND a.tid = 2", "b.pid = 1 AND b.tid = 1 AND b.name = 'etl'")
    assert 0 < engine <= etl + 1e-3, (engine, etl)
    assert overlap("a.pid = 1 AND a.tid = 1 AND a.name IN ('etl', 'fit', 'score')", "b.pid = 2 AND b.name = 'train'") < 1e-3
    assert overlap("a.pid = 1 AND a.tid = 1 AND a.name IN ('etl', 'fit', 'score')", f"b.pid = 2 AND b.name {STEP}") < 1e-3
    for rank in (1, 2):
        mine = f"pid = 2 AND tid = {rank}"
        assert ask(f"SELECT sum(steps) FROM slices WHERE {mine} AND name = 'forward'") == result["steps"]
        # Every step lies within the rank's task, and what it takes within the time of training.
        steps = ask(f"SELECT sum(dur) / 1e6 FROM slices WHERE {mine} AND name {STEP}")
        inside = overlap(f"a.pid = 2 AND a.tid = {rank} AND a.name {STEP}", f"b.pid = 2 AND b.tid = {rank} AND b.name = 'train'")
        assert abs(inside - steps) < 5e-3, (inside, steps)
        assert steps <= result["seconds"]["train"], (steps, result["seconds"])
        # The sum over ranks begins where the backward pass has ended: a rank never does both.
        assert overlap(f"a.pid = 2 AND a.tid = {rank} AND a.name = 'reduce'", f"b.pid = 2 AND b.tid = {rank} AND b.name = 'backward'") < 1e-6
    assert abs(share("reduce", 1) - result["wait_share"]) < 0.1, (share("reduce", 1), result["wait_share"])


def check_mlflow(name, result):
    with mlflow_server.serving() as uri:
        if uri is None:
            return 0
        run("export", name, "--to", "mlflow", "--uri", uri)
        again = subprocess.run([protium, "export", name, "--to", "mlflow", "--uri", uri], capture_output=True, text=True)
        assert again.returncode == 2 and "already" in again.stderr, again.stderr
        read_back(uri, name, result)
    return 1


# What MLflow's own client finds.
def read_back(uri, name, result):
    from mlflow import MlflowClient

    client = MlflowClient(uri)
    experiment = client.get_experiment_by_name("flights")
    (sent,) = client.search_runs([experiment.experiment_id])
    assert sent.info.status == "FINISHED" and sent.data.tags["protium.run"] == name
    assert sent.data.params["train.epochs"] == "3"
    assert sent.data.metrics["test/rmse"] == result["metrics"]["test"]["rmse"]
    losses = client.get_metric_history(sent.info.run_id, "epoch/loss")
    assert [each.value for each in losses] == [each["loss"] for each in result["history"]]
    folder = client.download_artifacts(sent.info.run_id, "model")
    from mlflow.models import Model

    model = Model.load(folder)
    assert "protium" in model.flavors and "distance" in model.get_input_schema().input_names()
    with open(os.path.join(folder, "model.json"), "rb") as there, open(os.path.join(result["model"], "model.json"), "rb") as here:
        assert there.read() == here.read()


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        run("example", "flights", "data", "--rows", "2000", "--seed", "7")
        done = json.loads(run("run", os.path.join(repository, "examples/flights/flights.toml"), "--set", "data=data",
                              "--set", "train.epochs=3", "--runs-dir", "runs", "--json"))
        with open(os.path.join(done["folder"], "result.json"), encoding="utf-8") as file:
            result = json.load(file)
        check_tensorboard(done["run"], result)
        check_metrics(done["run"], result)
        check_board(done["run"])
        check_trace(done["run"])
        check_overlap(done["run"], result)
        more = check_mlflow(done["run"], result)
        os.chdir("/")
    print(f"{5 + more} passed, 0 failed")


main()
