# SPDX-License-Identifier: Apache-2.0
"""The peers of bench/serverless.py, and what makes its tables.

serverless.py tpc FOLDER SCALE             TPC-DS and TPC-H as Parquet, and their queries
serverless.py numbers FILE ROWS            30 numbers and a label that is a line in them, as Parquet
serverless.py duckdb-sort FROM TO MEMORY   sorts lines by DuckDB with two threads; TO ends in .csv or .parquet
serverless.py duckdb-query FOLDER FILE     a query over the tables in FOLDER, twice in one process
serverless.py duckdb-answers FOLDER INTO   all queries of FOLDER/*.sql, answers as INTO/NAME.csv
serverless.py spark-sort ADDRESS FROM TO
serverless.py spark-query ADDRESS FOLDER FILE
serverless.py spark-learning ADDRESS FILE EPOCHS
serverless.py ray-sort FROM TO

What is timed is printed as {"seconds": ...}, one line for each time.
"""

import glob
import importlib
import json
import pathlib
import re
import sys
import time


def timed(do):
    begun = time.perf_counter()
    answer = do()
    print(json.dumps({"seconds": time.perf_counter() - begun}), flush=True)
    return answer


def open_duckdb(memory=None):
    import duckdb
    config = {"threads": 2, "allow_unsigned_extensions": "true"} | ({"memory_limit": memory} if memory else {})
    connection = duckdb.connect(config=config)
    connection.execute("SET enable_progress_bar = false")
    return connection


def tpc(folder, scale):
    for name, generator in (("tpcds", "dsdgen"), ("tpch", "dbgen")):
        into = pathlib.Path(folder) / name
        into.mkdir(parents=True, exist_ok=True)
        (package,) = importlib.import_module(f"duckdb_extension_{name}").__path__
        (extension,) = glob.glob(f"{package}/extensions/*/{name}.duckdb_extension")
        connection = open_duckdb()
        connection.execute(f"LOAD '{extension}'")
        connection.execute(f"CALL {generator}(sf = {float(scale)})")
        for (table,) in connection.execute("SHOW TABLES").fetchall():
            connection.execute(f"COPY {table} TO '{into}/{table}.parquet'")
        for number, text in connection.execute(f"SELECT query_nr, query FROM {name}_queries()").fetchall():
            (into / f"{number:02}.sql").write_text(text.strip().rstrip(";") + "\n", encoding="utf-8")


def numbers(file, rows):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    random = np.random.default_rng(7)
    columns = {f"x{i}": random.standard_normal(int(rows)) for i in range(1, 31)}
    line = sum((i % 7 - 3) * column for i, column in enumerate(columns.values()))
    pq.write_table(pa.table({**columns, "y": line + random.standard_normal(int(rows))}), file, row_group_size=100_000)


def duckdb_sort(source, target, memory):
    connection = open_duckdb(None if memory == "all" else memory)
    connection.execute(f"SET temp_directory = '{target}.spill'")
    form = "FORMAT parquet" if target.endswith(".parquet") else "FORMAT csv, HEADER false"
    rows = f"read_csv('{source}', header = false, columns = {{'record': 'VARCHAR'}}, delim = ',', quote = '', escape = '')"
    timed(lambda: connection.execute(f"COPY (SELECT * FROM {rows} ORDER BY record) TO '{target}' ({form})"))


def duckdb_tables(folder):
    connection = open_duckdb()
    for path in glob.glob(f"{folder}/*.parquet"):
        connection.execute(f"CREATE VIEW {pathlib.Path(path).stem} AS SELECT * FROM '{path}'")
    return connection


def duckdb_query(folder, file):
    connection = duckdb_tables(folder)
    text = pathlib.Path(file).read_text(encoding="utf-8")
    for _ in range(2):
        timed(lambda: connection.execute(text).fetchall())


def duckdb_answers(folder, into):
    connection = duckdb_tables(folder)
    for file in sorted(glob.glob(f"{folder}/*.sql")):
        text = pathlib.Path(file).read_text(encoding="utf-8")
        target = f"{into}/{pathlib.Path(file).stem}.csv"
        timed(lambda: connection.execute(f"COPY ({text}) TO '{target}' (FORMAT csv, HEADER true)"))  # noqa: B023


def spark(address):
    from pyspark.sql import SparkSession
    session = SparkSession.builder.remote(address).create()
    session.conf.set("spark.sql.shuffle.partitions", "2")
    return session


def spark_sort(address, source, target):
    session = spark(address)
    session.range(1000).selectExpr("sum(id)").collect()  # The session is open.
    rows = session.read.schema("record STRING").text(source)
    ordered = rows.orderBy("record").write.mode("overwrite")
    timed(lambda: (ordered.parquet if target.endswith(".parquet") else ordered.text)(target))


def spark_query(address, folder, file):
    session = spark(address)
    text = pathlib.Path(file).read_text(encoding="utf-8")
    for path in glob.glob(f"{folder}/*.parquet"):
        name = pathlib.Path(path).stem
        if re.search(rf"\b{name}\b", text, re.I):
            session.read.parquet(path).createOrReplaceTempView(name)
    for _ in range(3):
        timed(lambda: session.sql(text).collect())


# Spark ML has no gradient steps of a line to hand out one by one (its LinearRegression solves the normal equations, or
# runs L-BFGS to the end), so an epoch is what they are made of: one pass over cached rows that sums up the gradient.
def spark_learning(address, file, epochs):
    session = spark(address)
    names = [f"x{i}" for i in range(1, 31)]
    rows = session.read.parquet(file).cache()
    count = rows.count()
    weights, shift, rate = [0.0] * len(names), 0.0, 0.2

    def epoch():
        error = " + ".join([f"({shift!r})", *[f"({w!r}) * {name}" for w, name in zip(weights, names)]]) + " - y"
        sums = rows.selectExpr(f"{error} AS e", *names).selectExpr(
            "avg(e) AS e0", "avg(e * e) AS loss", *[f"avg(e * {name}) AS g_{name}" for name in names]).first()
        return sums["e0"], sums["loss"], [sums[f"g_{name}"] for name in names]

    begun = time.perf_counter()
    for _ in range(int(epochs)):
        shift_by, loss, by = epoch()
        shift -= rate * shift_by
        weights = [w - rate * g for w, g in zip(weights, by)]
    print(json.dumps({"seconds": time.perf_counter() - begun, "rows": count, "loss": loss}))


def ray_sort(source, target):
    import ray
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    ray.data.DataContext.get_current().enable_progress_bars = False
    timed(lambda: ray.data.read_text(source).sort("text").write_parquet(target))


def main():
    what = sys.argv[1].replace("-", "_")
    {one.__name__: one for one in (tpc, numbers, duckdb_sort, duckdb_query, duckdb_answers, spark_sort, spark_query,
                                   spark_learning, ray_sort)}[what](*sys.argv[2:])


main()
