# SPDX-License-Identifier: Apache-2.0
"""trees.py table FILE ROWS SEED: a Parquet table of 30 float32 a row, `id` and a label `y` of 0 and 1
that follows from ten of them, with interactions and noise.

trees.py fit LIBRARY FOLDER [THREADS [OPTION=VALUE...]]: the seconds in which LIBRARY (xgboost,
lightgbm or sklearn) fits 300 trees of 63 leaves to FOLDER/train.parquet, which is in memory by then,
and auc on FOLDER/test.parquet.

trees.py auc SCORED: auc of the column `probability` of a Parquet file, by scikit-learn.

trees.py learn TABLE MODEL: LightGBM's forest of the same shape for the tables of predict.py.
trees.py score MODEL ROWS OUT: its predictions of the Parquet table ROWS; OUT gets all columns as well.
trees.py off SCORED: by how much the predictions of such a table are off.
"""

import json
import os
import resource
import sys
import time

BEGUN = time.perf_counter()
THREADS = int(sys.argv[4]) if sys.argv[1] == "fit" and len(sys.argv) > 4 else 2
os.environ["OMP_NUM_THREADS"] = str(THREADS)  # scikit-learn has no option of its own.

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from forests import print_figure

COLUMNS, AT_ONCE = 30, 1 << 18
NAMES = [f"x{i}" for i in range(COLUMNS)]
TREES, LEAVES, RATE, BINS = 300, 63, 0.1, 255
SCORED = NAMES[:16]  # Of predict.py's tables.


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


def print_auc(path):
    from sklearn.metrics import roc_auc_score
    table = parquet.read_table(path, columns=["y", "probability"])
    print_figure("auc", float(roc_auc_score(table["y"].to_numpy(), table["probability"].to_numpy())), "auc")


def numbers_of(batch):
    return np.stack([batch[name].to_numpy() for name in SCORED], 1)


def learn(path, model):
    import lightgbm
    table = parquet.read_table(path)
    learned = lightgbm.LGBMRegressor(n_estimators=TREES, num_leaves=LEAVES, max_bin=BINS, learning_rate=RATE,
                                     n_jobs=THREADS, verbose=-1).fit(numbers_of(table), table["y"].to_numpy())
    learned.booster_.save_model(model)


def score(model, rows, out):
    import lightgbm
    pa.set_cpu_count(THREADS)
    booster, writer = lightgbm.Booster(model_file=model), None
    for batch in parquet.ParquetFile(rows).iter_batches(AT_ONCE):
        predicted = booster.predict(numbers_of(batch), num_threads=THREADS)
        table = pa.Table.from_batches([batch]).append_column("prediction", pa.array(predicted))
        writer = writer or parquet.ParquetWriter(out, table.schema, compression="zstd")
        writer.write_table(table)
    writer.close()
    print_figure("forest, predict 10 M rows", time.perf_counter() - BEGUN, "s")


# The label of predict.py, which large tables lack.
def print_off(path):
    table = parquet.read_table(path, columns=[*SCORED, "prediction"])
    x = numbers_of(table)
    label = x @ np.linspace(-1, 1, len(SCORED)) + np.abs(x[:, 0] - 5) * x[:, 1]
    print_figure("forest, rmse", float(np.sqrt(np.mean((table["prediction"].to_numpy() - label) ** 2))), "")


ACTIONS = {"auc": print_auc, "learn": learn, "score": score, "off": print_off}
if sys.argv[1] == "table":
    write_table(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
elif sys.argv[1] == "fit":
    fit(sys.argv[2], sys.argv[3], options_of(sys.argv[5:]))
else:
    ACTIONS[sys.argv[1]](*sys.argv[2:])
