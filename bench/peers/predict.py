# SPDX-License-Identifier: Apache-2.0
"""predict.py table FILE ROWS SEED: a Parquet table of 16 numbers a row and, in small ones, a label.

predict.py score MODEL ROWS OUT: the model folder MODEL (a standard_scaler and a tabular_mlp) as an
ONNX graph, run over the Parquet table ROWS by ONNX Runtime in this process with two threads; OUT gets
all columns and the prediction.
"""

import json
import os
import resource
import struct
import sys
import time

BEGUN = time.perf_counter()

import numpy as np
import pyarrow as pa
import pyarrow.parquet as parquet

from net import print_figure

COLUMNS = [f"x{i}" for i in range(16)]
AT_ONCE, WITH_LABEL = 1 << 16, 500_000


def write_table(path, rows, seed):
    random, writer = np.random.default_rng(seed), None
    for first in range(0, rows, AT_ONCE):
        numbers = random.normal(5, 3, (min(AT_ONCE, rows - first), len(COLUMNS))).round(4)
        table = {"id": np.arange(first, first + len(numbers)), **dict(zip(COLUMNS, numbers.T.copy()))}
        if rows <= WITH_LABEL:
            table["y"] = numbers @ np.linspace(-1, 1, len(COLUMNS)) + np.abs(numbers[:, 0] - 5) * numbers[:, 1]
        table = pa.table(table)
        writer = writer or parquet.ParquetWriter(path + ".part", table.schema)
        writer.write_table(table)
    writer.close()
    os.replace(path + ".part", path)


def tensors(path):
    with open(path, "rb") as file:
        whole = file.read()
    size = struct.unpack("<Q", whole[:8])[0]
    described = {name: at for name, at in json.loads(whole[8:8 + size]).items() if name != "__metadata__"}
    return {name: np.frombuffer(whole, np.float32, int(np.prod(at["shape"])), 8 + size + at["data_offsets"][0])
            .reshape(at["shape"]) for name, at in described.items()}


# Scaling, dense layers with ReLU between them, and the label's own scale.
def graph(model):
    from onnx import TensorProto, helper, numpy_helper

    with open(f"{model}/stages.json", encoding="utf-8") as file:
        learned = json.load(file)
    scaled, label = learned["stages"][0]["learned"], learned["objective"]["labels"][0]
    weights = tensors(f"{model}/weights.safetensors")
    constants, nodes, last = [], [], "x"

    def constant(name, values):
        constants.append(numpy_helper.from_array(np.ascontiguousarray(values, np.float32), name))
        return name

    def add(kind, *inputs, **options):
        nonlocal last
        nodes.append(helper.make_node(kind, [last, *inputs], [f"at{len(nodes)}"], **options))
        last = f"at{len(nodes) - 1}"

    add("Sub", constant("means", [one["mean"] for one in scaled]))
    add("Div", constant("deviations", [one["deviation"] for one in scaled]))
    for layer in sorted({name.rsplit(".", 1)[0] for name in weights}):
        if last.startswith("at") and layer != "dense.0":
            add("Relu")
        add("Gemm", constant(f"{layer}.weight", weights[f"{layer}.weight"]),
            constant(f"{layer}.bias", weights[f"{layer}.bias"]), transB=1)
    add("Mul", constant("deviation", [label["deviation"]]))
    add("Add", constant("mean", [label["mean"]]))
    made = helper.make_graph(nodes, "model", [helper.make_tensor_value_info("x", TensorProto.FLOAT, ["rows", 16])],
                             [helper.make_tensor_value_info(last, TensorProto.FLOAT, ["rows", 1])], constants)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)


def score(model, rows, out):
    import onnxruntime

    pa.set_cpu_count(2)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 2
    session = onnxruntime.InferenceSession(graph(model).SerializeToString(), options, providers=["CPUExecutionProvider"])
    writer, scored = None, 0
    for batch in parquet.ParquetFile(rows).iter_batches(AT_ONCE):
        numbers = np.stack([batch[name].to_numpy() for name in COLUMNS], 1).astype(np.float32)
        predicted = session.run(None, {"x": numbers})[0][:, 0].astype(np.float64)
        table = pa.Table.from_batches([batch]).append_column("prediction", pa.array(predicted))
        writer = writer or parquet.ParquetWriter(out, table.schema, compression="zstd")
        writer.write_table(table)
        scored += len(predicted)
    writer.close()
    print_figure("predict 10 M rows", (time.perf_counter() - BEGUN) * 1e7 / scored, "s")
    print_figure("predict, peak memory", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, "MiB")


if sys.argv[1] == "table":
    write_table(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))
else:
    score(*sys.argv[2:])
