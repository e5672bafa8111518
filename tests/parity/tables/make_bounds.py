# SPDX-License-Identifier: Apache-2.0
"""Writes bounds.parquet: columns whose bounds, which the file keeps and marks as exact, are not the
extremes of their values. It takes pyarrow 26, which marks them."""
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

nan = float("nan")
table = pa.table({
    "with_nan": pa.array([1.5, nan, 2.0, 0.5], pa.float64()),
    "with_nan_single": pa.array([1.5, nan, 2.0, 0.5], pa.float32()),
    "zero": pa.array([1.5, 0.0, None, 2.5], pa.float64()),
    "zero_single": pa.array([-1.5, -0.0, None, -2.5], pa.float32()),
    "number": pa.array([1.5, -3.25, None, 2.5], pa.float64()),
    "whole": pa.array([3, None, -7, 5], pa.int64()),
    "text": pa.array(["b", None, "", "é"], pa.string()),
    "nothing": pa.array([None, None, None, None], pa.float64()),
})
pq.write_table(table, pathlib.Path(__file__).parent / "bounds.parquet", compression="none")
