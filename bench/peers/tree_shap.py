# SPDX-License-Identifier: Apache-2.0
"""tree_shap.py FOLDER [ROUNDS [LEAVES]]: trains XGBoost's trees (300 of 63 leaves) over 30 columns
with gaps, explains rows by the package shap in one thread, and writes for bench_tree_shap what
trees/forest_file.h describes, the rows and shap's numbers.

It is shap's own C code that is measured (tree_path_dependent); for XGBoost's models shap would call
XGBoost, which is slower.
"""

import json
import os
import statistics
import struct
import sys
import time

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
import shap
import xgboost

COLUMNS, TRAINED, EXPLAINED, TIMES = 30, 100_000, 200, 5


def table(seed):
    random = np.random.default_rng(seed)
    x = random.standard_normal((TRAINED, COLUMNS)).astype(np.float32)
    x[random.random(x.shape) < 0.02] = np.nan
    z = np.nan_to_num(x)
    score = z @ random.standard_normal(COLUMNS) / 2 + 2 * z[:, 0] * z[:, 1] + np.sin(3 * z[:, 2])
    score += z[:, 3] ** 2 - np.abs(z[:, 4]) * z[:, 5] + random.standard_normal(TRAINED)
    return x, (score > 0).astype(np.float32)


def write_tensors(path, tensors):
    names = {"float32": "F32", "float64": "F64", "int32": "I32", "int64": "I64", "uint8": "U8", "uint32": "U32"}
    header, at = {}, 0
    for name, values in sorted(tensors.items()):
        header[name] = {"dtype": names[str(values.dtype)], "shape": list(values.shape),
                        "data_offsets": [at, at + values.nbytes]}
        at += values.nbytes
    text = json.dumps(header).encode()
    with open(path, "wb") as out:
        out.write(struct.pack("<Q", len(text)) + text)
        for name in sorted(tensors):
            out.write(tensors[name].tobytes())


def nodes_of(tree):
    """XGBoost's arrays in our order, in which children are neighbours and come after their parent."""
    left, right = tree["left_children"], tree["right_children"]
    order, position = [0], {0: 0}
    for node in order:
        if left[node] >= 0:
            position[left[node]] = len(order)
            order += [left[node], right[node]]
    return [(node, position.get(left[node], -1)) for node in order]


def tensors_of(model):
    base = model["learner_model_param"]["base_score"]
    base = float(json.loads(base)[0] if base.startswith("[") else base)
    trees = model["gradient_booster"]["model"]["trees"]
    fields = {name: [] for name in ("column", "left", "threshold", "missing_left", "value", "cover")}
    counts = []
    for tree in trees:
        nodes = nodes_of(tree)
        counts.append(len(nodes))
        for node, left in nodes:
            leaf, condition = left < 0, np.float32(tree["split_conditions"][node])
            fields["column"].append(-1 if leaf else tree["split_indices"][node])
            fields["left"].append(left)
            # XGBoost goes left below its condition, our trees up to it.
            fields["threshold"].append(0 if leaf else np.nextafter(condition, np.float32(-np.inf)))
            fields["missing_left"].append(0 if leaf else tree["default_left"][node])
            fields["value"].append(condition if leaf else 0)
            fields["cover"].append(tree["sum_hessian"][node])
    types = {"column": np.int32, "left": np.int32, "threshold": np.float32, "missing_left": np.uint8,
             "value": np.float32, "cover": np.float64}
    out = {name: np.array(values, types[name]) for name, values in fields.items()}
    nodes = sum(counts)
    return {**out,
            "base": np.array([np.log(base / (1 - base))], np.float32),
            "gain": np.zeros(nodes, np.float32),
            "set": np.full(nodes, -1, np.int32),
            "sets": np.zeros(0, np.uint32),
            "tree_nodes": np.array(counts, np.int64),
            "tree_sets": np.zeros(len(counts), np.int64)}


def explain(booster, rows):
    """Returns the numbers, and the median seconds of processor time."""
    explainer = shap.TreeExplainer(booster, feature_perturbation="tree_path_dependent")
    explainer.model.model_type = "internal"
    explainer.model.tree_limit = None
    seconds = []
    for _ in range(TIMES):
        begun = time.process_time()
        numbers = explainer.shap_values(rows, check_additivity=False)
        seconds.append(time.process_time() - begun)
    return np.ascontiguousarray(numbers, np.float64), statistics.median(seconds)


def main(folder, rounds=300, leaves=63):
    x, y = table(seed=1)
    options = {"max_leaves": leaves, "max_depth": 0, "grow_policy": "lossguide", "tree_method": "hist",
               "objective": "binary:logistic", "learning_rate": 0.1}
    booster = xgboost.train(options, xgboost.DMatrix(x, y), rounds)
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "model.json")
    booster.save_model(path)
    with open(path) as file:
        model = json.load(file)["learner"]
    write_tensors(os.path.join(folder, "forest.safetensors"), tensors_of(model))
    numbers, seconds = explain(booster, x[:EXPLAINED].astype(np.float64))
    write_tensors(os.path.join(folder, "rows.safetensors"), {"rows": x[:EXPLAINED], "shap": numbers})
    print(json.dumps({"figure": "a row explained", "value": seconds / EXPLAINED * 1e6, "unit": "us"}))


main(sys.argv[1], *map(int, sys.argv[2:]))
