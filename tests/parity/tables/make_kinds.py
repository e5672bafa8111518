# SPDX-License-Identifier: Apache-2.0
"""Writes kinds.parquet, a column of every type that tables carry, with nulls and extremes, and
seasons.parquet below folders that are named like its columns."""
import datetime as dt
import decimal
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

table = pa.table({
    "id": pa.array([1, 2, 3, 4], pa.int64()),
    "flag": pa.array([True, False, None, True], pa.bool_()),
    "small": pa.array([2147483647, -2147483648, None, 0], pa.int32()),
    "whole": pa.array([9223372036854775807, -9223372036854775808, None, 0], pa.int64()),
    "single": pa.array([0.1, float("nan"), None, -0.0], pa.float32()),
    "number": pa.array([0.1, float("nan"), None, -0.0], pa.float64()),
    "text": pa.array(["plain", "", None, "naïve ✓"], pa.string()),
    "day": pa.array([dt.date(1970, 1, 1), dt.date(2013, 12, 31), None, dt.date(1900, 3, 1)], pa.date32()),
    "at": pa.array([dt.datetime(1970, 1, 1), dt.datetime(2013, 12, 31, 23, 59, 59, 999999), None,
                    dt.datetime(1900, 3, 1, 1, 2, 3)], pa.timestamp("us")),
    "price": pa.array([decimal.Decimal("1.50"), decimal.Decimal("-99999.99"), None,
                       decimal.Decimal("0.00")], pa.decimal128(7, 2)),
    "parts": pa.array([[1.5, None], [], None, [0.25]], pa.list_(pa.float64())),
})
here = pathlib.Path(__file__).parent
pq.write_table(table, here / "kinds.parquet", compression="none")

seasons = pa.table({"id": pa.array([1, 2, 3], pa.int64()), "year": pa.array([2013, 2014, None], pa.int64()),
                    "temp": pa.array([1.5, -0.25, None], pa.float64())})
pq.write_table(seasons, here / "year=1999" / "TEMP=20" / "seasons.parquet", compression="none")
