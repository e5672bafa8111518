# SPDX-License-Identifier: Apache-2.0
"""spark_map.py ADDRESS: what PySpark's client and workers do on a Spark Connect server, timed.

Each line of stdin is answered with {"seconds": ...}:
  check SHAPE ROWS KIND   rows through Python and back, whose number and sums must be right
  map SHAPE ROWS KIND     the same into Spark's sink "noop"
  first                   the first mapInArrow of a new session, from its submission to its rows
SHAPE is "two" (2 x double) or "wide" (200 x float). KIND is "stock", mapInArrow in a session as it
comes, or with the settings of our sessions "arrow", mapInArrow, or "pandas": a pandas UDF for each
of two columns, mapInPandas for many.
"""

import json
import sys
import time

from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

# Those of src/tables/spark/engine/spark_session.cc.
OUR_SETTINGS = {
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.execution.arrow.maxBytesPerBatch": "2147483647",
    "spark.sql.execution.arrow.compression.codec": "none",
    "spark.sql.execution.pyspark.udf.faulthandler.enabled": "true",
}
COLUMNS = {"two": (2, "DOUBLE"), "wide": (200, "FLOAT")}
PARTITIONS = 2


def same_batches(batches):
    yield from batches


def new_session(address, settings):
    session = SparkSession.builder.remote(address).create()
    session.conf.set("spark.sql.execution.pyspark.python", sys.executable)
    for key, value in settings.items():
        session.conf.set(key, value)
    return session


def mapped(session, shape, rows, kind):
    count, spark_type = COLUMNS[shape]
    table = session.range(0, rows, 1, PARTITIONS).selectExpr(
        *[f"CAST(id + {i} AS {spark_type}) AS c{i}" for i in range(count)])
    schema = ", ".join(f"c{i} {spark_type}" for i in range(count))
    if kind != "pandas":
        return table.mapInArrow(same_batches, schema)
    if count > 2:
        return table.mapInPandas(same_batches, schema)
    same_column = pandas_udf(lambda values: values, "double")
    return table.select(*[same_column(f"c{i}").alias(f"c{i}") for i in range(count)])


def check(session, shape, rows, kind):
    last = COLUMNS[shape][0] - 1
    since = time.perf_counter()
    sums = mapped(session, shape, rows, kind).selectExpr(
        "count(1)", "sum(CAST(c0 AS DOUBLE))", f"sum(CAST(c{last} AS DOUBLE))").first()
    seconds = time.perf_counter() - since
    total = rows * (rows - 1) / 2
    assert tuple(sums) == (rows, total, total + rows * last), f"{sums} of {shape}, {kind}"
    return seconds


def write(session, shape, rows, kind):
    sink = mapped(session, shape, rows, kind).write.format("noop").mode("overwrite")
    since = time.perf_counter()
    sink.save()
    return time.perf_counter() - since


def first(address):
    session = new_session(address, {})
    since = time.perf_counter()
    table = session.range(0, 1000, 1, PARTITIONS).mapInArrow(same_batches, "id long").toArrow()
    seconds = time.perf_counter() - since
    assert table.num_rows == 1000
    session.stop()
    return seconds


def answer(sessions, address, verb, *words):
    if verb == "first":
        return first(address)
    shape, rows, kind = words
    session = sessions["stock" if kind == "stock" else "ours"]
    return {"check": check, "map": write}[verb](session, shape, int(rows), kind)


def main():
    address = sys.argv[1]
    sessions = {"stock": new_session(address, {}), "ours": new_session(address, OUR_SETTINGS)}
    for line in sys.stdin:
        print(json.dumps({"seconds": answer(sessions, address, *line.split())}), flush=True)


main()
