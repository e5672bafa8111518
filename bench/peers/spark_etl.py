# SPDX-License-Identifier: Apache-2.0
"""spark_etl.py JOB TABLES ADDRESS: the SQL of JOB by PySpark on a Spark Connect server, written once as
Parquet. Types are inferred before the clock starts, and said apart."""

import json
import os
import sys
import tempfile
import time
import tomllib

from pyspark.sql import SparkSession


def main():
    job_path, folder, address = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    with open(job_path, "rb") as file:
        job = tomllib.load(file)
    spark = SparkSession.builder.remote(address).getOrCreate()
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    begun = time.perf_counter()
    tables = {}
    for name, table in job["tables"].items():
        options = {"header": True} | ({"nullValue": table["null"]} if "null" in table else {})
        path = os.path.join(folder, table["csv"])
        tables[name] = (path, spark.read.csv(path, inferSchema=True, **options).schema, options)
    inferred = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="protium-bench-") as scratch:
        for name, (path, schema, options) in tables.items():
            spark.read.csv(path, schema=schema, **options).createOrReplaceTempView(name)
        spark.sql(job["etl"]["sql"]).write.parquet(scratch + "/etl")
        written = time.perf_counter()
        rows = spark.read.parquet(scratch + "/etl").where("arr_delay IS NOT NULL").count()
    print(json.dumps({"seconds": written - inferred, "infer": inferred - begun, "rows": rows}))


main()
