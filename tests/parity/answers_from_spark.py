# SPDX-License-Identifier: Apache-2.0
"""Writes answers/<case>.csv by running cases/<case>.sql on Spark (pip install pyspark==4.2.1, Java 17).

    python answers_from_spark.py            every case
    python answers_from_spark.py NAME...    these cases

An answer is a CSV file. Its header names each column with its type, text is quoted, null is the
bare word null, and rows of a case without "-- ordered" are sorted as text. A case that fails on
Spark has one line instead: !fails and the class of Spark's error. See README.md.
"""
import json
import os
import pathlib
import re
import sys
import time

os.environ["TZ"] = "UTC"
time.tzset()

import numpy
from pyspark.sql import SparkSession
from pyspark.sql import types as t

HERE = pathlib.Path(__file__).parent
SPARK_TYPES = {"int64": "BIGINT", "int32": "INT", "float64": "DOUBLE", "float32": "FLOAT", "string": "STRING",
               "bool": "BOOLEAN", "date": "DATE", "timestamp": "TIMESTAMP_NTZ"}
OUR_TYPES = {t.LongType: "int64", t.IntegerType: "int32", t.ShortType: "int16", t.ByteType: "int8",
             t.DoubleType: "float64", t.FloatType: "float32", t.StringType: "string", t.BooleanType: "bool",
             t.DateType: "date", t.TimestampNTZType: "timestamp", t.TimestampType: "timestamp", t.NullType: "string"}


def start():
    builder = SparkSession.builder.master("local[1]").appName("parity")
    for key, value in {"spark.sql.ansi.enabled": "true", "spark.sql.ansi.doubleQuotedIdentifiers": "true",
                       "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "2",
                       # As in our sessions (src/tables/spark/engine/spark_session.cc).
                       "spark.sql.optimizer.excludedRules": "org.apache.spark.sql.catalyst.optimizer.SimplifyCasts",
                       "spark.ui.enabled": "false"}.items():
        builder = builder.config(key, value)
    spark = builder.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    return spark


def spark_type(name):
    return SPARK_TYPES.get(name) or name.replace("list<", "ARRAY<").replace("float64", "DOUBLE")


def load(spark, name, table):
    path = str(HERE / "tables" / table["file"])
    if "csv" not in table:
        reader = spark.read.option("pathGlobFilter", "*.parquet")
        if "partitions" in table:
            reader = reader.schema(", ".join(f"`{c['name']}` {spark_type(c['type'])}" for c in table["schema"]))
        reader.parquet(path).createOrReplaceTempView(name)
        return
    schema = ", ".join(f"`{c['name']}` {spark_type(c['type'])}" for c in table["schema"])
    reader = spark.read.schema(schema).options(
        header=True, sep=table["csv"]["delimiter"], nullValue=table["csv"]["null"], emptyValue="", escape='"',
        multiLine=True, mode="FAILFAST", pathGlobFilter="*.csv", positiveInf="Inf", negativeInf="-Inf")
    reader.csv(path).createOrReplaceTempView(name)


def type_name(kind):
    if isinstance(kind, t.DecimalType):
        return f"decimal({kind.precision},{kind.scale})"
    return OUR_TYPES[type(kind)]


def cell(value, kind):
    if value is None:
        return "null"
    if isinstance(kind, t.StringType):
        return '"' + value.replace('"', '""') + '"'
    if isinstance(kind, t.BooleanType):
        return str(value).lower()
    if isinstance(kind, t.FloatType):
        return str(numpy.float32(value))
    if isinstance(kind, t.DoubleType):
        return repr(value)
    if isinstance(kind, t.DecimalType):
        return format(value, "f")
    return str(value)  # Whole numbers, 2013-12-31, 2013-12-31 23:59:00.


def answer(spark, sql, ordered):
    try:
        frame = spark.sql(sql)
        kinds = [field.dataType for field in frame.schema.fields]
        head = ",".join('"' + f"{field.name}:{type_name(field.dataType)}".replace('"', '""') + '"'
                        for field in frame.schema.fields)
        rows = [",".join(cell(v, k) for v, k in zip(row, kinds)) for row in frame.collect()]
    except Exception as error:
        found = re.search(r"\[([A-Z_0-9]+(\.[A-Z_0-9]+)?)\]", str(error))
        return "!fails " + (found.group(1) if found else str(error).splitlines()[0]) + "\n"
    return "\n".join([head] + (rows if ordered else sorted(rows))) + "\n"


def main():
    names = sys.argv[1:] or sorted(path.stem for path in (HERE / "cases").glob("*.sql"))
    spark = start()
    for name, table in json.loads((HERE / "tables" / "tables.json").read_text()).items():
        load(spark, name, table)
    for name in names:
        text = (HERE / "cases" / (name + ".sql")).read_text()
        written = answer(spark, text, "\n-- ordered\n" in "\n" + text)
        (HERE / "answers" / (name + ".csv")).write_text(written)
        if written.startswith("!fails") != ("\n-- fails: " in "\n" + text):
            print(f"{name}: {written.strip()[:300]}", file=sys.stderr)


if __name__ == "__main__":
    main()
