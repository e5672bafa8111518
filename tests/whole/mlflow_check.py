# SPDX-License-Identifier: Apache-2.0
"""mlflow_check.py FOLDER SCORED: what the flavor python_function of the MLflow model in FOLDER predicts for the rows of the Parquet
table SCORED, beside the predictions that the table has. Loads it as MLflow does: by what MLmodel says. Prints
the number of rows; what differs by more than 1e-5 of its size ends it with 1.
"""

import importlib
import json
import os
import sys

import numpy as np
import pyarrow.parquet as parquet
import yaml

folder = sys.argv[1]
with open(os.path.join(folder, "MLmodel"), encoding="utf-8") as file:
    said = yaml.safe_load(file)
for name in said["flavors"]["python_function"]["env"].values():
    with open(os.path.join(folder, name), encoding="utf-8") as file:
        yaml.safe_load(file)
flavor = said["flavors"]["python_function"]
sys.path.insert(0, os.path.join(folder, flavor["code"]))
model = importlib.import_module(flavor["loader_module"])._load_pyfunc(os.path.join(folder, flavor["data"]))
table = parquet.read_table(sys.argv[2])
names = [each["name"] for each in json.loads(said["signature"]["inputs"])]
made = model.predict(table.select(names).to_pandas())
for each in json.loads(said["signature"]["outputs"]):
    ours, theirs = table[each["name"]].to_numpy(), made[each["name"]].to_numpy()
    worst = np.max(np.abs(ours - theirs) / np.maximum(1, np.abs(ours)))
    if not worst <= 1e-5:
        sys.exit(f"{each['name']}: apart by {worst}")
print(table.num_rows)
