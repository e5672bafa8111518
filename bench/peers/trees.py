# SPDX-License-Identifier: Apache-2.0
"""trees.py table FILE ROWS SEED: a Parquet table of 30 float32 a row, `id` and a label `y` of 0 and 1
that follows from ten of them, with interactions and noise.

trees.py fit LIBRARY FOLDER [THREADS [OPTION=VALUE...]]: the seconds in which LIBRARY (xgboost,
lightgbm or sklearn) fits 300 trees of 63 leaves to FOLDER/train.parquet, which is in memory by then,
and auc on FOLDER/test.parquet.
"""

import json
import os
import resource
import sys
import time

if sys.argv[1] == "fit":
    THREADS = int(sys.argv[4]) if len(sys.argv) > 4 else 2
    os.environ["OMP_NUM_THREADS"] = str(THREADS)  # scikit-learn has no option of its own.

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

COLUMNS, AT_ONCE = 30, 1 << 18
NAMES = [f"x{i}" for i in range(COLUMNS)]
TREES, LEAVES, RATE, BINS = 300, 63, 0.1, 255


# Not net.py's, which would load PyTorch and its threads.
def print_figure(figure, value, unit):
    print(json.dumps({"figure": figure, "value": value, "unit": unit}), flush=True)


def made(random, rows):
    x = random.standard_normal((rows, COLUMNS), dtype=np.float32)
    logit = (x[:, 0] * x[:, 1] + np.sin(2 * x[:, 2]) + (x[:, 3] > 0.5) * x[:, 4] - 0.5 * np.abs(x[:, 5])
             + 0.3 * x[:, 6] * x[:, 7] * x[:, 8] + 0.2 * x[:, 9])
    return x, (random.random(rows) < 1 / (1 + np.exp(-1.5 * logit))).astype(np.int32)


def write_table(path, rows, seed):
    writer = None
    for first in range(0, rows, AT_ONCE):
        x, y = made(np.random.default_rng((seed, first)), min(AT_ONCE, rows - first))
        table = pa.table({"id": np.arange(first, first + len(y)), **dict(zip(NAMES, x.T.copy())), "y": y})
        writer = writer or parquet.ParquetWriter(path + ".part", table.schema)
        writer.write_table(table)
    writer.close()
    os.replace(path + ".part", path)


# Column by column: a table, its columns as one and the rows would be three copies.
def read_table(path):
    file = parquet.ParquetFile(path)
    x = np.empty((file.metadata.num_rows, COLUMNS), np.float32)
    for i, name in enumerate(NAMES):
        x[:, i] = file.read([name])[name].to_numpy()
    return x, file.read(["y"])["y"].to_numpy()


def model_of(library, options):
    if library == "xgboost":
        import xgboost
        return xgboost.XGBClassifier(
            **{"n_estimators": TREES, "max_leaves": LEAVES, "max_depth": 0, "grow_policy": "lossguide",
               "tree_method": "hist", "max_bin": BINS, "learning_rate": RATE, "n_jobs": THREADS} | options)
    if library == "lightgbm":
        import lightgbm
        return lightgbm.LGBMClassifier(
            **{"n_estimators": TREES, "num_leaves": LEAVES, "max_bin": BINS, "learning_rate": RATE, "n_jobs": THREADS,
               "verbose": -1} | options)
    from sklearn.ensemble import HistGradientBoostingClassifier
    return HistGradientBoostingClassifier(
        **{"max_iter": TREES, "max_leaf_nodes": LEAVES, "max_bins": BINS, "learning_rate": RATE, "early_stopping": False}
        | options)


def options_of(texts):
    return {name: json.loads(value) for name, value in (one.split("=") for one in texts)}


def fit(library, folder, options):
    from sklearn.metrics import roc_auc_score
    x, y = read_table(f"{folder}/train.parquet")
    model = model_of(library, options)
    busy, begun = time.process_time(), time.perf_counter()
    model.fit(x, y)
    seconds, busy = time.perf_counter() - begun, time.process_time() - busy
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    x, y = read_table(f"{folder}/test.parquet")
    print_figure(f"fit, {library}", seconds, "s")
    print_figure(f"fit, processor time, {library}", busy, "s")
    print_figure(f"peak memory, {library}", peak, "MiB")
    print_figure(f"auc, {library}", float(roc_auc_score(y, model.predict_proba(x)[:, 1])), "auc")


if sys.argv[1] == "table":
    write_table(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    fit(sys.argv[2], sys.argv[3], options_of(sys.argv[5:]))
