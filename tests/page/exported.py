# SPDX-License-Identifier: Apache-2.0
"""exported.py PROTIUM REPOSITORY: exports a run and lets the tools that it is for read the files.

Exits with 77 where they are not installed (bench/peers/setup.sh).
"""

import json
import os
import subprocess
import sys
import tempfile

try:
    from prometheus_client.openmetrics.parser import text_string_to_metric_families as read_open_metrics
    from prometheus_client.parser import text_string_to_metric_families as read_prometheus
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
except ImportError as error:
    print(f"skipped: {error.name} is not in .deps/peers (bench/peers/setup.sh)")
    sys.exit(77)

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
        families = {each.name: each for each in read(run("export", name, "--to", to, "--out", "-"))}
        sample = next(each for each in families["protium_test"].samples if each.labels["metric"] == "rmse")
        assert sample.value == result["metrics"]["test"]["rmse"]


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
        os.chdir("/")
    print("2 passed, 0 failed")


main()
