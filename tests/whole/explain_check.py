# SPDX-License-Identifier: Apache-2.0
"""explain_check.py PROTIUM FOLDER: explanations of nets by PROTIUM beside those of the package shap, which gets the
model's background and its predictions. With five columns both are exact; with nine shap's are, and PROTIUM's are drawn.
Prints a line for each comparison; a difference beyond what the method allows ends it with 1. Ends with 77, and says
why, where a package is missing. Files go to FOLDER.
"""

import json
import os
import struct
import subprocess
import sys

try:
    import numpy as np
    import pandas as pd
    import shap
except ImportError as missing:
    print(missing)
    sys.exit(77)

PROTIUM, FOLDER = sys.argv[1:]
ROWS, EXPLAINED = 1500, 6
JOB = """name = "{name}"
[tables]
learn = {{ csv = "learn.csv" }}
[etl]
sql = "SELECT * FROM learn"
[[pipeline]]
kind = "torch_estimator"
net = {net}
numeric = {numbers}
label = "y"
[train]
epochs = 8
batch_size = 64
"""


def protium(*words):
    done = subprocess.run([PROTIUM, *words], capture_output=True, text=True, cwd=FOLDER)
    if done.returncode != 0:
        sys.exit(f"protium {' '.join(words)}: {done.stderr}")
    return done.stdout


def table(columns):
    draw = np.random.default_rng(columns)
    x = pd.DataFrame(draw.normal(size=(ROWS, columns)).astype(np.float32), columns=[f"x{i}" for i in range(columns)])
    y = 3 * x.x0 + 2 * x.x1 * x.x2 + np.sin(2 * x.x3) * x.x0 + np.abs(x.iloc[:, -1])
    return x, x.assign(y=y)


def background(model):
    with open(os.path.join(model, "background.safetensors"), "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        tensor = json.loads(file.read(size))["numeric"]
        begin, end = tensor["data_offsets"]
        file.seek(8 + size + begin)
        return np.frombuffer(file.read(end - begin), "<f4").reshape(tensor["shape"])


def scored(model, x, *flags):
    x.to_csv(os.path.join(FOLDER, "score.csv"), index=False, float_format="%.9g")
    out = os.path.join(FOLDER, "scored.csv")
    protium("predict", "--model", model, "--input", "score.csv", "--output", out, "--force", *flags)
    return pd.read_csv(out)


def compare(name, net, columns, samples, most):
    x, learn = table(columns)
    learn.to_csv(os.path.join(FOLDER, "learn.csv"), index=False, float_format="%.9g")
    with open(os.path.join(FOLDER, "job.toml"), "w") as job:
        job.write(JOB.format(name=name, net=net, numbers=json.dumps(list(x.columns))))
    model = json.loads(protium("run", "job.toml", "--json", "--set", f"data={FOLDER}"))["model"]
    ours = scored(model, x.head(EXPLAINED), "--explain", "all", "--samples", str(samples))

    def predict(rows):
        return scored(model, pd.DataFrame(rows, columns=x.columns)).prediction.to_numpy()

    exact = shap.explainers.Exact(predict, shap.maskers.Independent(background(model), max_samples=64))
    theirs = exact(x.head(EXPLAINED).to_numpy())
    off = np.abs(ours[[f"because_of_{each}" for each in x.columns]].to_numpy() - theirs.values).max()
    mean = np.abs(ours.because_mean.to_numpy() - theirs.base_values).max()
    size = np.abs(theirs.values).max()
    print(f"{name}: off by {off / size:.2e} of the largest value, the mean by {mean / size:.2e}; allowed {most:g}")
    return off <= most * size and mean <= 1e-5 * size


RIGHT = [
    compare("linear", '"linear"', 5, 1, 1e-5),
    compare("mlp", '{ name = "tabular_mlp", hidden = [32, 16] }', 5, 1, 1e-5),
    compare("linear-wide", '"linear"', 9, 1, 1e-5),
    compare("mlp-wide", '{ name = "tabular_mlp", hidden = [32, 16] }', 9, 20, 0.02),
]
sys.exit(0 if all(RIGHT) else 1)
