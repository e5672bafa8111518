# SPDX-License-Identifier: Apache-2.0
"""forest_check.py PROTIUM FLIGHTS FOLDER: forests of XGBoost and LightGBM imported by PROTIUM, and forests of its own,
exported to XGBoost, LightGBM, Treelite and ONNX Runtime. All predict 10,000 rows of the real table FLIGHTS, with
missing values, and rows whose numbers are a threshold or the float32 beside one. Prints a line for each comparison;
what differs by more than 1e-6 of the predictions' size, or of their spread, ends it with 1. Ends with 77, and says
why, where a package is missing. Files go to FOLDER.
"""

import json
import os
import subprocess
import sys

try:
    import lightgbm
    import numpy as np
    import onnxruntime
    import pandas as pd
    import treelite
    import xgboost
except ImportError as missing:
    print(missing)
    sys.exit(77)

PROTIUM, FLIGHTS, FOLDER = sys.argv[1:]
NUMBERS = ["month", "day", "dep_delay", "distance", "hour", "minute", "ratio"]
TEXTS = ["carrier", "origin", "dest"]
ROWS = 10_000
JOB = """name = "own"
[tables]
learn = {{ csv = "learn.csv" }}
[etl]
sql = "SELECT * FROM learn"
[[pipeline]]
kind = "string_indexer"
id = "index"
inputs = {texts}
[[pipeline]]
kind = "tree_estimator"
categorical = [{{ stage = "index" }}]
numeric = {numbers}
label = "{label}"
loss = {loss}
trees = {{ rounds = 20 }}
"""


def protium(*words):
    done = subprocess.run([PROTIUM, *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"protium {' '.join(words)}: {done.stderr}")
    return done.stdout


def flights():
    table = pd.read_csv(FLIGHTS).dropna(subset=["arr_delay"]).sample(frac=1, random_state=0).reset_index(drop=True)
    table["ratio"] = np.float32(table.distance / (table.hour + 1.7))
    table.loc[np.random.default_rng(0).random(len(table)) < 0.03, "dep_delay"] = np.nan
    for name in NUMBERS:
        table[name] = table[name].astype("float64")
    table["late"] = (table.arr_delay > 15).astype("int64")
    table["grade"] = np.digitize(table.arr_delay, [-10, 5, 30]).astype("int64")
    table["count"] = table.arr_delay.clip(lower=0)
    return table


def thresholds(file):
    """(column, number) of the splits by numbers in XGBoost's JSON."""
    with open(file) as text:
        learner = json.load(text)["learner"]
    for tree in learner["gradient_booster"]["model"]["trees"]:
        for left, kind, column, number in zip(tree["left_children"], tree["split_type"], tree["split_indices"],
                                              tree["split_conditions"]):
            if left >= 0 and kind == 0:
                yield learner["feature_names"][column], np.float32(number)


def beside(rows, file):
    """Rows whose numbers are a threshold, or next to it. LightGBM takes numbers below 1e-35 for 0, and XGBoost none that
    are infinite."""
    rows = rows.iloc[np.random.default_rng(1).integers(0, len(rows), 6000)].reset_index(drop=True)
    found = list(thresholds(file))
    order = np.random.default_rng(2).permutation(len(found))[:2000]
    for at, (name, number) in enumerate(found[i] for i in order):
        for step, toward in enumerate([number, np.float32(-np.inf), np.float32(np.inf)]):
            near = np.nextafter(number, toward)
            if np.isfinite(near):
                rows.loc[3 * at + step, name] = float(near) if abs(near) > 1e-35 else 0.0
    return rows


def compare(what, ours, theirs):
    ours, theirs = (np.asarray(each, "float64").reshape(len(ours), -1) for each in (ours, theirs))
    apart = np.abs(ours - theirs) / np.maximum(np.maximum(1, np.abs(theirs)), theirs.std())
    print(f"{what}: {len(ours)} rows, apart by {apart.max():.1e}", flush=True)
    if not apart.max() <= 1e-6:
        sys.exit(f"{what}: row {apart.max(1).argmax()} is apart by {apart.max()}")


def predicted(model, rows, kind):
    """What `protium predict` says: values, quantiles in their order, probabilities, or of counts the logarithm, which the
    leaves add up to in float32."""
    rows[NUMBERS + TEXTS].to_csv("score.csv", index=False)
    protium("predict", "--model", model, "--input", "score.csv", "--output", "scored.csv", "--force")
    scored = pd.read_csv("scored.csv")
    if kind in ("late", "grade"):
        return scored["probability"]
    scored = scored[[name for name in scored if name.startswith("prediction")]]
    return np.log(scored) if kind == "count" else scored


def shaped(kind, theirs):
    """The same of another program's predictions."""
    theirs = np.asarray(theirs, "float64")
    if kind == "grade":
        return theirs.reshape(len(theirs), -1).max(1)
    if kind == "count":
        return np.log(theirs)
    return np.sort(theirs, 1) if kind == "quantiles" else theirs


def indexed(model, rows):
    """The columns that the model's trees read, categories as their indices."""
    with open(f"{model}/stages.json") as stages, open(f"{model}/net.json") as net:
        entries = [each for stage in json.load(stages)["stages"] for each in stage["learned"]]
        read = json.load(net)
    out = rows[read["numeric"]].copy()
    for each in entries:
        places = {key: place for place, key in enumerate(each["keys"])}
        unseen = each.get("unseen", np.nan)
        out[each["output"]] = [float(places.get(text, unseen)) for text in rows[each["input"]]]
    return out[read["numeric"] + [each["column"] for each in read["categorical"]]]


def check_exports(model, rows, kind, ours, what):
    columns = indexed(model, rows)
    protium("export", model, "--to", "xgboost", "--output", "out.json", "--force")
    protium("export", model, "--to", "lightgbm", "--output", "out.txt", "--force")
    protium("export", model, "--to", "onnx", "--output", "out.onnx", "--force")
    types = ["c" if name.endswith("__index") else "float" for name in columns]
    table = xgboost.DMatrix(columns.to_numpy("float32"), feature_names=list(columns), feature_types=types,
                            enable_categorical=True)
    compare(f"{what} to xgboost", ours, shaped(kind, xgboost.Booster(model_file="out.json").predict(table)))
    theirs = lightgbm.Booster(model_file="out.txt").predict(columns.to_numpy())
    compare(f"{what} to lightgbm", ours, shaped(kind, theirs))
    forest = treelite.frontend.load_xgboost_model("out.json")
    theirs = treelite.gtil.predict(forest, columns.to_numpy("float32")).reshape(len(columns), -1)
    compare(f"{what} to treelite", ours, shaped(kind, theirs))
    session = onnxruntime.InferenceSession("out.onnx", providers=["CPUExecutionProvider"])
    given = {}
    for each in session.get_inputs():
        text = each.type == "tensor(string)"
        given[each.name] = rows[each.name].fillna("" if text else np.nan).to_numpy(object if text else "float64")
    wanted = [each.name for each in session.get_outputs() if each.name.startswith("probability" if kind in (
        "late", "grade") else "prediction")]
    theirs = np.stack(session.run(wanted, given), 1)
    compare(f"{what} to onnx", ours, np.log(theirs) if kind == "count" else theirs)


def trained(library, objective, options, learn, label):
    table = learn[NUMBERS + TEXTS].copy()
    if library == "xgboost":
        settings = {"objective": objective, "nthread": 2, **options}
        booster = xgboost.train(settings, xgboost.DMatrix(table, label, enable_categorical=True), 20)
        booster.save_model("in.json")
        return "in.json", lambda rows: booster.predict(xgboost.DMatrix(rows[NUMBERS + TEXTS], enable_categorical=True))
    settings = {"objective": objective, "verbose": -1, "num_threads": 2, **options}
    booster = lightgbm.train(settings, lightgbm.Dataset(table, label), 20)
    booster.save_model("in.txt")
    return "in.txt", lambda rows: booster.predict(rows[NUMBERS + TEXTS])


FOREIGN = [
    ("xgboost", "reg:squarederror", "arr_delay", {}),
    ("xgboost", "binary:logistic", "late", {"booster": "dart", "rate_drop": 0.2}),
    ("xgboost", "multi:softprob", "grade", {"num_class": 4}),
    ("xgboost", "reg:quantileerror", "quantiles", {"quantile_alpha": [0.1, 0.5, 0.9]}),
    ("xgboost", "count:poisson", "count", {}),
    ("lightgbm", "regression", "arr_delay", {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}),
    ("lightgbm", "binary", "late", {"sigmoid": 0.7}),
    ("lightgbm", "multiclass", "grade", {"num_class": 4}),
    ("lightgbm", "tweedie", "count", {}),
]
OWN = [("mse", "arr_delay"), ("binary_cross_entropy", "late"), ("cross_entropy", "grade"), ("poisson", "count")]


def main():
    os.chdir(FOLDER)
    table = flights()
    for name in TEXTS:
        table[name] = table[name].astype("category")
    learn, test = table[:ROWS], table[ROWS:2 * ROWS]
    for library, objective, kind, options in FOREIGN:
        file, theirs = trained(library, objective, options, learn, learn["arr_delay" if kind == "quantiles" else kind])
        protium("import", file, "--label", "target", "--output", "imported", "--force")
        protium("export", "imported", "--to", "xgboost", "--output", "out.json", "--force")
        for rows, what in ((test, ""), (beside(test, "out.json"), ", beside thresholds")):
            ours = predicted("imported", rows, kind)
            compare(f"{library} {objective}{what}", ours, shaped(kind, theirs(rows)))
            check_exports("imported", rows, kind, ours, f"{library} {objective}{what}")
    learn[NUMBERS + TEXTS + ["arr_delay", "late", "grade", "count"]].to_csv("learn.csv", index=False)
    for loss, label in OWN:
        with open("job.toml", "w") as job:
            job.write(JOB.format(texts=TEXTS, numbers=NUMBERS, label=label, loss=json.dumps(loss)))
        protium("run", "job.toml", "--runs-dir", f"runs-{loss}")
        model = f"runs-{loss}/{max(os.listdir(f'runs-{loss}'))}/model"
        protium("export", model, "--to", "xgboost", "--output", "out.json", "--force")
        for rows, what in ((test, ""), (beside(test, "out.json"), ", beside thresholds")):
            check_exports(model, rows, label, predicted(model, rows, label), f"{loss}{what}")


main()
