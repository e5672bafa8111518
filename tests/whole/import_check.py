# SPDX-License-Identifier: Apache-2.0
"""import_check.py make MODEL WEIGHTS: saves the state dict of a PyTorch module that is made as the net of the
model is, with weights of its own, as DistributedDataParallel names them; WEIGHTS.3 to WEIGHTS.5 are the same in
those protocols of pickles, WEIGHTS in PyTorch's own; WEIGHTS.script is the module in TorchScript.
import_check.py compare MODEL WEIGHTS SCORED: what that module predicts for the rows of the Parquet table SCORED, beside the
predictions that the table has. Prints the number of rows; what differs by more than 1e-6 of its size ends it with 1.
"""

import json
import sys

import numpy as np
import predictions
import pyarrow.parquet as parquet
import torch


class Net(torch.nn.Module):
    def __init__(self, cardinality, width, hidden):
        super().__init__()
        self.embedding = torch.nn.ModuleList([torch.nn.Embedding(cardinality, width)])
        self.dense = torch.nn.ModuleList([torch.nn.Linear(width + 1, hidden)])
        self.norm = torch.nn.ModuleList([torch.nn.BatchNorm1d(hidden)])
        self.output = torch.nn.Linear(hidden, 1)

    def forward(self, numeric, categories):
        rows = torch.cat([self.embedding[0](categories[:, 0]), numeric], 1)
        return self.output(torch.relu(self.norm[0](self.dense[0](rows))))


def read(model, name):
    with open(f"{model}/{name}", encoding="utf-8") as file:
        return json.load(file)


def net_of(model):
    net = read(model, "net.json")
    _, shapes = tensors_of(model)
    return Net(*shapes["embedding.0.weight"], net["net"]["hidden"][0])


def tensors_of(model):
    with open(f"{model}/weights.safetensors", "rb") as file:
        header = json.loads(file.read(int.from_bytes(file.read(8), "little")))
    return header, {name: each["shape"] for name, each in header.items() if name != "__metadata__"}


def make(model, weights):
    torch.manual_seed(5)
    module = net_of(model)
    for _ in range(3):  # Statistics of batches, and the number of them.
        module(torch.randn(64, 1), torch.randint(0, module.embedding[0].num_embeddings, (64, 1)))
    state = type(module.state_dict())(("module." + name, each) for name, each in module.state_dict().items())
    torch.save(state, weights)
    for protocol in (3, 4, 5):
        torch.save(state, f"{weights}.{protocol}", pickle_protocol=protocol)
    torch.jit.save(torch.jit.script(module), f"{weights}.script")


def compare(model, weights, scored):
    module = net_of(model).eval()
    state = torch.load(weights)
    module.load_state_dict({name.removeprefix("module."): each for name, each in state.items()})
    table = parquet.read_table(scored)
    keys = read(model, "stages.json")["stages"][0]["learned"][0]["keys"]
    kinds = torch.tensor([[keys.index(each)] for each in table["kind"].to_pylist()])
    ages = torch.tensor(np.array(table["age"].to_pylist(), np.float32)[:, None])
    with torch.no_grad():
        outputs = module(ages, kinds)[:, 0]
    predictions.compare(weights, outputs, read(model, "net.json")["objective"]["labels"][0], table)


{"make": make, "compare": compare}[sys.argv[1]](*sys.argv[2:])
