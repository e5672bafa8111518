# SPDX-License-Identifier: Apache-2.0
"""Writes nested.parquet: lists, texts as people leave them and JSON, for expressions. Texts are dictionary-encoded."""
import datetime as dt
import decimal
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq


def at(text):
    return dt.datetime.fromisoformat(text)


cents = pa.decimal128(6, 2)
table = pa.table({
    "id": pa.array([1, 2, 3, 4, 5, 6], pa.int64()),
    "n": pa.array([1, -3, 0, None, 2, 7], pa.int32()),
    "d": pa.array([1.5, -0.1, float("nan"), None, 1e20, -0.0], pa.float64()),
    "c": pa.array([None if v is None else decimal.Decimal(v) for v in ("1.50", "-0.05", "0.00", None, "99.99", "2.00")],
                  cents),
    "w": pa.array(["a", "b c", "", None, "Ünï", "x,y"], pa.string()),
    "amount": pa.array(["12.5", "N/A", "", None, " 7 ", "1e3"], pa.string()),
    "stamp": pa.array(["2013-02-28 10:11:12", "2013-02-28T10:11:12-05:00", "2020-06-15", None, "never", "1969-12-31 23:59:59.5Z"],
                      pa.string()),
    "doc": pa.array(['{"a":1,"b":"x","l":[1,2]}', '{"a":1.5,"b":null}', "[]", None, "no json", '{"a":"7","o":{"p":true},"l":[]}'],
                    pa.string()),
    "day": pa.array([dt.date(2013, 1, 31), dt.date(1969, 12, 31), dt.date(2000, 2, 29), None, dt.date(2020, 6, 15),
                     dt.date(1970, 1, 1)], pa.date32()),
    "moment": pa.array([at("2013-03-10 02:30:00"), at("1969-12-31 23:59:59.5"), None, at("2000-02-29 00:00:00"),
                        at("2020-11-01 01:15:00.25"), at("1970-01-01 00:00:00")], pa.timestamp("us")),
    "flag": pa.array([True, False, None, True, False, True], pa.bool_()),
    "li": pa.array([[1, 2, 3], [3, None, 3], [], None, [-1], [2, 1]], pa.list_(pa.int32())),
    "ld": pa.array([[1.5, -0.0], [float("nan"), 2.0], [None], None, [], [1e20, 0.1]], pa.list_(pa.float64())),
    "lc": pa.array([[decimal.Decimal("1.50")], [None, decimal.Decimal("-0.05")], [], None,
                    [decimal.Decimal("2.00"), decimal.Decimal("2.00")], [decimal.Decimal("7.25")]], pa.list_(cents)),
    "ls": pa.array([["a", "b"], ["1", "2"], [""], None, ["b c", None], []], pa.list_(pa.string())),
    "ll": pa.array([[[1], [2, 3]], [[None]], [], None, [[], None], [[4]]], pa.list_(pa.list_(pa.int32()))),
})
pq.write_table(table, pathlib.Path(__file__).parent / "nested.parquet", compression="none")
