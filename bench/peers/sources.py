# SPDX-License-Identifier: Apache-2.0
"""The peers of bench/sources.py: DuckDB's own scan of the same tables, and pandas.read_sql."""

import glob
import importlib
import json
import sys
import time

NUMBERS = [f"x{i}" for i in range(1, 19)]


def make_table(path, rows, seed):
    import numpy as np
    import pyarrow as pa
    import pyarrow.parquet as pq
    numbers = np.random.default_rng(int(seed))
    columns = {f"x{i}": numbers.random(int(rows)) for i in range(1, 40)}
    pq.write_table(pa.table({**columns, "y": numbers.random(int(rows)) < 0.5}), path, row_group_size=100_000)


def bytes_of(*words):
    import pyarrow.parquet as pq
    *files, names = words
    total = 0
    for path in files:
        meta = pq.ParquetFile(path).metadata
        for group in range(meta.num_row_groups):
            for column in range(meta.num_columns):
                chunk = meta.row_group(group).column(column)
                total += chunk.total_compressed_size if chunk.path_in_schema in names.split(",") else 0
    print(total)


def load(connection, name):
    package = importlib.import_module(f"duckdb_extension_{name}")
    (file,) = glob.glob(f"{package.__path__[0]}/extensions/*/{name}.duckdb_extension")
    connection.execute(f"LOAD '{file}'")


def figure(name, begun):
    print(json.dumps({"figure": name, "value": time.perf_counter() - begun, "unit": "s"}), flush=True)


def read(postgres, store, rows):
    import duckdb
    connection = duckdb.connect(config={"threads": 2})
    connection.execute("SET enable_progress_bar = false")
    for name in ("postgres_scanner", "httpfs"):
        load(connection, name)
    begun = time.perf_counter()
    connection.execute(f"ATTACH 'host=127.0.0.1 port={postgres} user=reader dbname=shop' AS p (TYPE postgres, READ_ONLY)")
    connection.execute(f"CREATE TEMP TABLE w AS SELECT {', '.join(NUMBERS)}, y FROM p.wide")
    figure("PostgreSQL, 5 M rows packed", begun)
    assert connection.execute("SELECT count(*) FROM w").fetchone()[0] == int(rows)
    connection.execute(f"CREATE SECRET (TYPE s3, KEY_ID 'k', SECRET 's', REGION 'us-east-1', ENDPOINT "
                       f"'127.0.0.1:{store}', URL_STYLE 'path', USE_SSL false)")
    begun = time.perf_counter()
    connection.execute("CREATE TEMP TABLE s AS SELECT x1, x2, x3, y FROM read_parquet('s3://lake/wide/*.parquet')")
    figure("S3, 4 of 40 columns packed", begun)
    pandas(postgres, rows)


def pandas(postgres, rows):
    import pandas as pd
    import sqlalchemy
    engine = sqlalchemy.create_engine(f"postgresql+psycopg2://reader@127.0.0.1:{postgres}/shop")
    begun = time.perf_counter()
    frame = pd.read_sql(f"SELECT {', '.join(NUMBERS)}, y FROM wide", engine)
    figure("PostgreSQL, 5 M rows by pandas.read_sql", begun)
    assert len(frame) == int(rows)


{"table": make_table, "bytes": bytes_of, "read": read}[sys.argv[1]](*sys.argv[2:])
