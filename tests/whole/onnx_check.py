# SPDX-License-Identifier: Apache-2.0
"""onnx_check.py GRAPH SCORED: what ONNX Runtime predicts with GRAPH from the columns of the Parquet
table SCORED, beside the predictions that the table has. Prints the number of rows; anything that
differs by more than 1e-5 of its size ends it with 1.
"""

import sys

import numpy as np
import onnxruntime
import pyarrow.parquet as parquet


def given(column, kind):
    if kind == "tensor(string)":
        return np.array(["" if each is None else each for each in column.to_pylist()], object)
    if kind == "tensor(double)":
        return np.array([float("nan") if each is None else each for each in column.to_pylist()], np.float64)
    return column.to_numpy()


def check(name, ours, theirs):
    ours = ours.to_pylist()
    if isinstance(ours[0], (str, bool)):
        apart = [i for i, (mine, other) in enumerate(zip(ours, theirs.tolist())) if mine != other]
        # A probability that is all but the cut may fall on either side.
        if len(apart) * 1000 > len(ours):
            sys.exit(f"{name}: {len(apart)} of {len(ours)} differ, the first in row {apart[0]}")
        return
    ours = np.array(ours, np.float64)
    worst = np.max(np.abs(ours - theirs) / np.maximum(1, np.abs(ours)))
    if not worst <= 1e-5:
        sys.exit(f"{name}: apart by {worst}")


session = onnxruntime.InferenceSession(sys.argv[1], providers=["CPUExecutionProvider"])
table = parquet.read_table(sys.argv[2])
outputs = [each.name for each in session.get_outputs()]
predicted = session.run(outputs, {each.name: given(table[each.name], each.type) for each in session.get_inputs()})
for name, values in zip(outputs, predicted):
    check(name, table[name], values)
print(table.num_rows)
