# SPDX-License-Identifier: Apache-2.0
"""exported_search.py PROTIUM REPOSITORY: exports a search and lets the tools that it is for read it.

Exits with 77 where they are not installed (bench/peers/setup.sh).
"""

import json
import os
import subprocess
import sys
import tempfile

try:
    import optuna
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
    from tensorboard.plugins.hparams import metadata, plugin_data_pb2
except ImportError as error:
    print(f"skipped: {error.name} is not in .deps/peers (bench/peers/setup.sh)")
    sys.exit(77)

import mlflow_server

protium, repository = sys.argv[1:]
STATES = {"done": "COMPLETE", "pruned": "PRUNED", "failed": "FAIL"}
JOB = """
name = "sought"
[tables]
shops = { csv = "shops.csv" }
[etl]
sql = "SELECT * FROM shops"
[[pipeline]]
kind = "tree_estimator"
numeric = ["age", "area"]
label = "sales"
trees = { rounds = 9 }
[train]
validation = { share = 0.2, by = ["id"] }
[search]
method = "random"
prune = "asha"
trials = 20
[search.space]
"trees.leaves" = { log_int_uniform = [2, 64] }
"trees.learning_rate" = { log_uniform = [0.005, 0.5] }
"trees.rows" = [0.5, 1.0]
"""


def run(*words):
    return subprocess.run([protium, *words], check=True, capture_output=True, text=True).stdout


def check_optuna(name, table):
    (file,) = run("export", name, "--to", "optuna").split()
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    storage = optuna.storages.JournalStorage(optuna.storages.journal.JournalFileBackend(file))
    study = optuna.load_study(study_name=name, storage=storage)
    assert study.direction.name == "MINIMIZE" and study.metric_names == [table["metric"]]
    assert study.best_trial.number + 1 == table["best"] and study.best_params == table["trials"][table["best"] - 1]["values"]
    assert len(study.trials) == len(table["trials"])
    for theirs, ours in zip(study.trials, table["trials"]):
        assert theirs.state.name == STATES[ours["state"]] and theirs.value == ours["value"], (theirs, ours)
        assert theirs.params == ours["values"] and theirs.datetime_complete >= theirs.datetime_start
        assert theirs.user_attrs["trial"] == ours["trial"]
        last = max(theirs.intermediate_values)
        assert last == (ours["pruned_at"] or 9), (last, ours)
    # The study goes on where ours ended.
    next_one = study.ask(study.trials[0].distributions)
    assert next_one.number == len(table["trials"]) and 2 <= next_one.params["trees.leaves"] <= 64


def check_tensorboard(name, table):
    run("export", name, "--to", "tensorboard")
    for trial in table["trials"]:
        events = EventAccumulator(os.path.join("tensorboard", name, f"trial-{trial['trial']:03}"))
        events.Reload()
        (value,) = events.Scalars(f"trial/{table['metric']}")
        assert abs(value.value - trial["value"]) < 1e-4 * abs(trial["value"])
        content = events.SummaryMetadata("_hparams_/session_start_info").plugin_data.content
        start = metadata.parse_session_start_info_plugin_data(content)
        assert isinstance(start, plugin_data_pb2.SessionStartInfo)
        assert {key: each.number_value for key, each in start.hparams.items()} == trial["values"]


def check_mlflow(name, table):
    with mlflow_server.serving() as uri:
        if uri is None:
            return 0
        run("export", name, "--to", "mlflow", "--uri", uri)
        from mlflow import MlflowClient

        client = MlflowClient(uri)
        experiment = client.get_experiment_by_name("sought").experiment_id
        (parent,) = client.search_runs([experiment], f"tags.`protium.run` = '{name}'")
        trials = client.search_runs([experiment], f"tags.mlflow.parentRunId = '{parent.info.run_id}'", max_results=1000)
        assert len(trials) == len(table["trials"])
        by_number = {int(each.data.tags["protium.trial"]): each for each in trials}
        for ours in table["trials"]:
            theirs = by_number[ours["trial"]]
            assert theirs.data.metrics[table["metric"]] == ours["value"]
            assert theirs.data.params == {key: json.dumps(value) for key, value in ours["values"].items()}
            curve = client.get_metric_history(theirs.info.run_id, f"validation/{table['metric']}")
            assert len(curve) == (ours["pruned_at"] or 9)
    return 1


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("shops.csv", "w", encoding="utf-8") as file:
            file.write("id,age,area,sales\n")
            file.writelines(f"{i},{i * 37 % 101},{i * 53 % 211},{i * 37 % 101 * (i % 3) + (40 if i * 53 % 211 > 100 else 0)}\n" for i in range(600))
        with open("sought.toml", "w", encoding="utf-8") as file:
            file.write(JOB)
        done = json.loads(run("run", "sought.toml", "--runs-dir", "runs", "--json"))
        with open(os.path.join(done["folder"], "trials.json"), encoding="utf-8") as file:
            table = json.load(file)
        assert {each["state"] for each in table["trials"]} == {"done", "pruned"}
        check_optuna(done["run"], table)
        check_tensorboard(done["run"], table)
        more = check_mlflow(done["run"], table)
        os.chdir("/")
    print(f"{2 + more} passed, 0 failed")


main()
