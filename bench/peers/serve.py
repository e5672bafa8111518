# SPDX-License-Identifier: Apache-2.0
"""serve.py MODEL PORT: the model of bench/tables/made.toml behind FastAPI and PyTorch, as one writes it:
a request's rows as a tensor, one forward. Prints "ready" once it answers."""

import json
import struct
import sys

import numpy as np
import torch
import uvicorn
from fastapi import FastAPI

MODEL, PORT = sys.argv[1], int(sys.argv[2])
COLUMNS = [f"x{i}" for i in range(16)]

with open(f"{MODEL}/stages.json", encoding="utf-8") as file:
    LEARNED = json.load(file)
with open(f"{MODEL}/weights.safetensors", "rb") as file:
    WHOLE = file.read()
SIZE = struct.unpack("<Q", WHOLE[:8])[0]
HEADER = json.loads(WHOLE[8:8 + SIZE])
SCALED, LABEL = LEARNED["stages"][0]["learned"], LEARNED["objective"]["labels"][0]
MEANS = np.array([one["mean"] for one in SCALED])
DEVIATIONS = np.array([one["deviation"] for one in SCALED])


def weight(name):
    at = HEADER[name]
    values = np.frombuffer(WHOLE, np.float32, int(np.prod(at["shape"])), 8 + SIZE + at["data_offsets"][0])
    return torch.from_numpy(values.reshape(at["shape"]).copy())


def dense(name):
    weights = weight(f"{name}.weight")
    layer = torch.nn.Linear(weights.shape[1], weights.shape[0])
    layer.weight.data, layer.bias.data = weights, weight(f"{name}.bias")
    return layer


torch.set_num_threads(1)
NET = torch.nn.Sequential(dense("dense.0"), torch.nn.ReLU(), dense("dense.1"), torch.nn.ReLU(), dense("output"))
app = FastAPI()


@app.post("/v1/score")
def score(given: dict):
    x = np.array([[row[name] for name in COLUMNS] for row in given["rows"]])
    with torch.inference_mode():
        out = NET(torch.from_numpy(((x - MEANS) / DEVIATIONS).astype(np.float32)))[:, 0].double()
    return {"predictions": [{"prediction": each} for each in (out * LABEL["deviation"] + LABEL["mean"]).tolist()]}


print("ready", flush=True)
uvicorn.run(app, host="127.0.0.1", port=PORT, log_level="error", access_log=False)
