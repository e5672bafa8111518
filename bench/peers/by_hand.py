# SPDX-License-Identifier: Apache-2.0
"""by_hand.py etl|job|trees JOB TABLES OUT EPOCHS BATCH: the flights job as one writes it without us:
DuckDB, numpy and PyTorch in one process with two threads.

`etl` only runs the SQL of JOB, into a table of DuckDB; types of columns are known before the clock
starts. `job` is the whole: SQL, split by days, stages, training, validation, scored Parquet in OUT.
`trees` is the same with LightGBM, EPOCHS trees and nothing filled in or scaled; BATCH are its leaves.
"""

import json
import os
import resource
import sys
import time
import tomllib

BEGUN = time.perf_counter()
THREADS = 2


def say(**figures):
    print(json.dumps(figures), flush=True)


def reader(connection, path, null, typed):
    options = f", nullstr='{null}'" if null else ""
    if not typed:
        return f"read_csv('{path}'{options})"
    columns = connection.execute(f"DESCRIBE SELECT * FROM read_csv('{path}'{options}, sample_size=-1)").fetchall()
    types = ", ".join(f"'{name}': '{kind}'" for name, kind, *_ in columns)
    return f"read_csv('{path}'{options}, delim=',', header=true, types={{{types}}})"


def open_tables(job, folder, typed):
    import duckdb

    connection = duckdb.connect(config={"threads": THREADS})
    connection.execute("CREATE MACRO datediff(a, b) AS date_diff('day', b, a)")  # Spark's.
    for name, table in job["tables"].items():
        path = os.path.join(folder, table["csv"])
        connection.execute(f"CREATE VIEW {name} AS SELECT * FROM {reader(connection, path, table.get('null'), typed)}")
    return connection


def run_etl(connection, job):
    begun = time.perf_counter()
    connection.execute("CREATE TABLE etl AS " + job["etl"]["sql"])
    return time.perf_counter() - begun


# (categorical, filled, all numeric) columns of the job's stages.
def columns_of(job):
    stages = {stage.get("id", stage["kind"]): stage for stage in job["pipeline"]}
    filled = stages["fill"]["inputs"]
    numeric = [name for name in stages["scale"]["inputs"] if isinstance(name, str)] + filled
    return stages["index"]["inputs"], filled, numeric


# Codes of a column: its values in training in any order; one more for what training never saw, and
# one for NULL.
def codes_of(column, train):
    import numpy as np

    encoded = column.combine_chunks().dictionary_encode()
    codes = encoded.indices.fill_null(len(encoded.dictionary)).to_numpy(zero_copy_only=False)
    seen = np.zeros(len(encoded.dictionary) + 1, bool)
    seen[codes[train]] = True
    missing = seen[-1]
    seen[-1] = False
    place = np.where(seen, np.cumsum(seen) - 1, seen.sum())
    place[-1] = seen.sum() + 1
    return place[codes].astype("int64"), int(seen.sum()) + 2


def numbers_of(column):
    import numpy as np

    return column.cast("double").to_numpy().astype("float32", copy=False) if column.null_count == 0 else np.asarray(
        column.cast("double").fill_null(float("nan")).to_numpy(), "float32")


# The rows, and which of them train, are held out for validation, and test: by days, or as columns say.
def split_rows(connection, job):
    if "column" in job["split"]:
        table = connection.execute("SELECT * FROM etl WHERE arr_delay IS NOT NULL").to_arrow_table()
        test, held = (table[each["column"]].to_numpy() for each in (job["split"], job["train"]["validation"]))
        return table, ~test & ~held, held & ~test, test
    split, held = job["split"]["test"], job["train"]["validation"]["share"]
    day = "concat_ws('-', year, month, day)"
    table = connection.execute(
        f"SELECT *, hash({day}) % 1000 < {split} * 1000 AS test, hash({day} || 'held') % 1000 < {held} * 1000 AS held "
        "FROM etl WHERE arr_delay IS NOT NULL").to_arrow_table()
    test, held = (table[name].to_numpy() for name in ("test", "held"))
    return table, ~test & ~held, held & ~test, test


def prepare(connection, job):
    import numpy as np

    categorical, filled, numeric = columns_of(job)
    table, train, held, test = split_rows(connection, job)
    encoded = [codes_of(table[name], train) for name in categorical]
    columns = []
    for name in numeric:
        values = numbers_of(table[name])
        if name in filled:
            values = np.where(np.isnan(values), np.float32(np.nanmedian(values[train])), values)
        columns.append((values - values[train].mean(dtype="float64")) / (values[train].std(dtype="float64") or 1))
    label = numbers_of(table["arr_delay"])
    codes = np.stack([code for code, _ in encoded], 1)
    return table, np.stack(columns, 1).astype("float32"), codes, [n for _, n in encoded], label, train, held, test


def make_net(cardinalities, numeric, hidden=(128, 64), dropout=0.1):
    import torch
    from torch import nn

    # One embedding a categorical column, then the hidden layers with dropout.
    class TabularNet(nn.Module):
        def __init__(self):
            super().__init__()
            self.embeddings = nn.ModuleList(nn.Embedding(n, min(50, (n + 1) // 2)) for n in cardinalities)
            width = numeric + sum(e.embedding_dim for e in self.embeddings)
            layers = []
            for units in hidden:
                layers += [nn.Linear(width, units), nn.ReLU(), nn.Dropout(dropout)]
                width = units
            self.dense = nn.Sequential(*layers, nn.Linear(width, 1))

        def forward(self, numbers, codes):
            parts = [e(codes[:, i]) for i, e in enumerate(self.embeddings)]
            return self.dense(torch.cat([*parts, numbers], 1)).squeeze(1)

    torch.manual_seed(1)
    return TabularNet()


def train_epoch(net, optimizer, numbers, codes, label, batch):
    import torch

    loss = torch.nn.HuberLoss()
    net.train()
    order = torch.randperm(len(label))
    for at in range(0, len(label), batch):
        rows = order[at:at + batch]
        optimizer.zero_grad()
        loss(net(numbers[rows], codes[rows]), label[rows]).backward()
        optimizer.step()


def predict(net, numbers, codes):
    import torch

    net.eval()
    with torch.no_grad():
        return torch.cat([net(numbers[at:at + 4096], codes[at:at + 4096]) for at in range(0, len(numbers), 4096)])


def rmse(guess, label):
    return float(((guess - label).double() ** 2).mean().sqrt())


def write_scored(job, rows, guess, out):
    import pyarrow.parquet as parquet

    wanted = [name for name in job["outputs"]["predictions"]["columns"] if name != "prediction"]
    scored = rows.select(wanted).append_column("prediction", [guess])
    parquet.write_table(scored, os.path.join(out, "predictions.parquet"), compression="zstd")
    return scored


def run_job(job, folder, out, epochs, batch):
    import torch

    torch.set_num_threads(THREADS)
    imported = time.perf_counter()
    connection = open_tables(job, folder, typed=False)
    run_etl(connection, job)
    made = time.perf_counter()
    table, numbers, codes, cardinalities, label, train, held, test = prepare(connection, job)
    mean, deviation = float(label[train].mean(dtype="float64")), float(label[train].std(dtype="float64"))
    numbers, codes, label = torch.from_numpy(numbers), torch.from_numpy(codes), torch.from_numpy((label - mean) / deviation)
    sides = {name: [torch.from_numpy(side).nonzero().squeeze(1)] for name, side in
             (("train", train), ("held", held), ("test", test))}
    sides = {name: (numbers[rows], codes[rows], label[rows]) for name, (rows,) in sides.items()}
    prepared = time.perf_counter()
    net = make_net(cardinalities, numbers.shape[1])
    optimizer = torch.optim.Adam(net.parameters(), 1e-3, weight_decay=1e-4)
    best, kept = float("inf"), None
    for _ in range(epochs):
        train_epoch(net, optimizer, *sides["train"], batch)
        held_rmse = rmse(predict(net, *sides["held"][:2]), sides["held"][2])
        if held_rmse < best:
            best, kept = held_rmse, {name: value.clone() for name, value in net.state_dict().items()}
    net.load_state_dict(kept)
    trained = time.perf_counter()
    guess = predict(net, *sides["test"][:2])
    scored = write_scored(job, table.filter(test), (guess.double() * deviation + mean).numpy(), out)
    ended = time.perf_counter()
    say(job="by hand", seconds=ended - BEGUN, etl=made - imported, prepare=prepared - made, train=trained - prepared,
        score=ended - trained, rows=len(label), train_rows=len(sides["train"][2]), test_rows=scored.num_rows,
        rmse=rmse(guess, sides["test"][2]) * deviation)


def run_trees(job, folder, out, trees, leaves):
    import lightgbm
    import numpy as np

    imported = time.perf_counter()
    connection = open_tables(job, folder, typed=False)
    run_etl(connection, job)
    made = time.perf_counter()
    categorical, _, numeric = columns_of(job)
    table, train, held, test = split_rows(connection, job)
    columns = [numbers_of(table[name]) for name in numeric] + [codes_of(table[name], train)[0] for name in categorical]
    x, label = np.stack(columns, 1).astype("float32"), numbers_of(table["arr_delay"])
    prepared = time.perf_counter()
    model = lightgbm.LGBMRegressor(n_estimators=trees, num_leaves=leaves, n_jobs=THREADS, verbose=-1)
    history = {}
    model.fit(x[train], label[train], eval_X=x[held], eval_y=label[held], eval_metric="rmse",
              categorical_feature=list(range(len(numeric), len(columns))),
              callbacks=[lightgbm.record_evaluation(history)])
    errors = history["valid_0"]["rmse"]
    trained = time.perf_counter()
    guess = model.predict(x[test], num_iteration=int(np.argmin(errors)) + 1)
    scored = write_scored(job, table.filter(test), guess, out)
    ended = time.perf_counter()
    say(job="by hand", seconds=ended - BEGUN, etl=made - imported, prepare=prepared - made, train=trained - prepared,
        score=ended - trained, rows=len(label), train_rows=int(train.sum()), test_rows=scored.num_rows,
        rmse=float(np.sqrt(np.mean((guess - label[test]) ** 2))))


def main():
    what, path, folder, out, epochs, batch = sys.argv[1:]
    with open(path, "rb") as file:
        job = tomllib.load(file)
    if what == "etl":
        connection = open_tables(job, folder, typed=True)
        seconds = run_etl(connection, job)
        rows = connection.execute("SELECT count(arr_delay) FROM etl").fetchone()[0]
        say(job="DuckDB", seconds=seconds, rows=rows)
    elif what == "trees":
        run_trees(job, folder, out, int(epochs), int(batch))
    else:
        run_job(job, folder, out, int(epochs), int(batch))
    say(peak_bytes=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)


if __name__ == "__main__":
    main()
