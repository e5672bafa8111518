# SPDX-License-Identifier: Apache-2.0
"""Writes guarded.parquet, whose text is encoded by a dictionary: every third row (k is 'bad') holds
what functions of text fail on, and zeros. Queries leave these rows out."""
import pathlib

import pyarrow as pa
import pyarrow.parquet as pq

ROWS = 120
GOOD = {"num": ["1.5", "2", "-4e2"], "whole": ["1", "2", "44"], "truth": ["true", "no", "1"],
        "day": ["2020-01-01", "2020-02-29", "1999-12-31"], "at": ["2020-01-01 00:00:00", "2020-02-01 10:00:00", "1999-01-01"],
        "dmy": ["01/02/2020", "03/04/2021", "31/12/2000"], "url": ["a%20b", "c", "d%41"],
        "bits": ["1", "10", "101"], "pattern": ["a", "b+", "[c]"]}
BAD = dict.fromkeys(GOOD, "N/A") | {"url": "%zz", "bits": "1" * 70, "pattern": "("}


def column(good, bad):
    return [bad if i % 3 == 0 else good[i // 3 % len(good)] for i in range(ROWS)]


table = {"id": pa.array(range(ROWS), pa.int64()), "k": column(["ok", "fine"], "bad")}
table |= {name: column(good, BAD[name]) for name, good in GOOD.items()}
table["zero"] = pa.array(column([1, 2, 5], 0), pa.int32())
pq.write_table(pa.table(table), pathlib.Path(__file__).parent / "guarded.parquet", compression="none")
