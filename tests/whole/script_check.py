# SPDX-License-Identifier: Apache-2.0
"""script_check.py (SCRIPT SCORED)...: what PyTorch computes with the TorchScript file SCRIPT, of a model of numbers
whose net reads columns of the Parquet table SCORED as they are, beside the predictions that the table has. Prints
the number of rows of each; what differs by more than 1e-6 of its size ends it with 1.
"""

import json
import sys

import numpy as np
import predictions
import pyarrow.parquet as parquet
import torch


def check(script, scored):
    extra = {"net.json": ""}
    module = torch.jit.load(script, _extra_files=extra)
    net = json.loads(extra["net.json"])
    table = parquet.read_table(scored)
    columns = [np.array(table[each].to_pylist(), np.float32) for each in net["numeric"]]
    with torch.no_grad():
        outputs = module(torch.tensor(np.stack(columns, 1)))[:, 0]
    predictions.compare(script, outputs, net["objective"]["labels"][0], table)


for place in range(1, len(sys.argv), 2):
    check(*sys.argv[place:place + 2])
