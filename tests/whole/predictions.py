# SPDX-License-Identifier: Apache-2.0
"""What a module of PyTorch made, beside the predictions of a table."""

import sys

import numpy as np


def compare(what, outputs, label, table):
    """`outputs`, on the scale that a net learns `label` in, beside the column "prediction": prints the
    number of rows; what differs by more than 1e-6 of its size ends the process with 1."""
    made = outputs.double().numpy() * label["deviation"] + label["mean"]
    ours = table["prediction"].to_numpy()
    worst = np.max(np.abs(ours - made) / np.maximum(1, np.abs(ours)))
    if not worst <= 1e-6:
        sys.exit(f"{what}: apart by {worst}")
    print(table.num_rows)
