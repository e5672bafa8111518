# SPDX-License-Identifier: Apache-2.0
"""Writes typed.parquet: columns of many types with values that most operators take, for expressions."""
import datetime as dt
import decimal
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq


def decimals(*values):
    return [None if value is None else decimal.Decimal(value) for value in values]


def at(text):
    return dt.datetime.fromisoformat(text)


table = pa.table({
    "id": pa.array([1, 2, 3, 4, 5, 6], pa.int64()),
    "tiny": pa.array([1, -3, 2, None, 100, 7], pa.int8()),
    "short": pa.array([5, 1, -12, 300, None, 30000], pa.int16()),
    "whole": pa.array([3, 1, -7, 1000000, None, 100], pa.int32()),
    "long": pa.array([10, -1, 2, 9007199254740993, 1234567890123, None], pa.int64()),
    "price": pa.array(decimals("1.50", "-0.05", "0.01", None, "12345678.99", "3.00"), pa.decimal128(10, 2)),
    "share": pa.array(decimals("0.1250", "0.9999", None, "0.0001", "-0.5000", "0.3333"), pa.decimal128(4, 4)),
    "wide": pa.array(decimals("1.0000000000", "-2.5000000001", "99999999999999999999.0000000001", "0.0000000001",
                              None, "12.3456789012"), pa.decimal128(38, 10)),
    "single": pa.array([1.5, -0.1, 0.25, 1e7, None, 16777216.0], pa.float32()),
    "real": pa.array([2.5, -0.1, 0.25, 1e7, 1.23456789e-5, None], pa.float64()),
    "digits": pa.array(["12", "-3", " 7 ", None, "1", "100"], pa.string()),
    "word": pa.array(["abc", "Spark", "", "a b", None, "xyz"], pa.string()),
    "day": pa.array([dt.date(2013, 1, 31), dt.date(1969, 12, 31), dt.date(2000, 2, 29), None, dt.date(2020, 6, 15),
                     dt.date(1970, 1, 1)], pa.date32()),
    "moment": pa.array([at("2013-01-31 10:20:30"), at("1969-12-31 23:59:59.5"), None, at("2000-02-29 00:00:00"),
                        at("2020-06-15 12:00:00.25"), at("1970-01-01 00:00:00")], pa.timestamp("us")),
    "flag": pa.array([True, False, None, True, False, True], pa.bool_()),
})
pq.write_table(table, pathlib.Path(__file__).parent / "typed.parquet", compression="none")
