# SPDX-License-Identifier: Apache-2.0
"""make_tables.py EXTENSIONS INTO: the tables of TPC-DS and TPC-H at scale 0.01 as Parquet files,
INTO/tpcds/NAME.parquet, and the queries as INTO/tpcds/NN.sql, as DuckDB's extensions make them."""
import glob
import pathlib
import sys

import duckdb


def make(name, generator, extensions, into):
    into.mkdir(parents=True)
    (extension,) = glob.glob(f"{extensions}/duckdb_extension_{name}/extensions/*/{name}.duckdb_extension")
    database = duckdb.connect(config={"allow_unsigned_extensions": "true", "threads": "1"})
    database.execute(f"LOAD '{extension}'")
    database.execute(f"CALL {generator}(sf = 0.01)")
    for (table,) in database.execute("SHOW TABLES").fetchall():
        database.execute(f"COPY {table} TO '{into}/{table}.parquet'")
    for number, text in database.execute(f"SELECT query_nr, query FROM {name}_queries()").fetchall():
        (into / f"{number:02}.sql").write_text(text.strip().rstrip(";") + "\n", encoding="utf-8")


extensions, into = sys.argv[1], pathlib.Path(sys.argv[2])
make("tpcds", "dsdgen", extensions, into / "tpcds")
make("tpch", "dbgen", extensions, into / "tpch")
