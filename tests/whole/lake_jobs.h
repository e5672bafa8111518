// SPDX-License-Identifier: Apache-2.0
// What tests of lakes and object stores share: a store, and jobs that read from it.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "whole/object_server.h"
#include "whole/table_jobs.h"

namespace protium::whole {

// One store serves all tests of a program, each below a folder of its own; null, with the reason,
// without one.
ObjectServer* Store(std::string& why);

#define NEED_STORE(store)                 \
  NEED_EXTENSION("httpfs", "s3");         \
  std::string why;                        \
  ObjectServer* const store = Store(why); \
  if (store == nullptr) GTEST_SKIP() << why

Outcome AtStore(const OwnJob& own, const std::map<std::string, std::string>& environment,
                std::vector<std::string> words);
// Runs own / "job.toml".
Outcome RunAtStore(const OwnJob& own, const ObjectServer& store);

// The number of rows of a table and the sum of their ids, as the text of a CSV file; else what the
// command says. `store` may be null.
std::string CountOf(const OwnJob& own, const ObjectServer* store, const std::string& table);

// Makes sales/prices below a folder or at a store, in two appends; prints the first's snapshot.
inline constexpr const char* kMakeIceberg = R"(import sys, pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
folder, warehouse, endpoint = sys.argv[1:4]
store = {"s3.endpoint": endpoint, "s3.access-key-id": "k", "s3.secret-access-key": "s",
         "s3.region": "us-east-1"} if endpoint else {}
catalog = SqlCatalog("c", uri="sqlite:///" + folder + "/catalog.db", warehouse=warehouse, **store)
catalog.create_namespace("sales")
rows = lambda a, b: pa.table({"id": pa.array(range(a, b), pa.int64())})
table = catalog.create_table("sales.prices", schema=rows(0, 1).schema)
table.append(rows(0, 10))
table.append(rows(10, 100))
print(table.snapshots()[0].snapshot_id)
)";

#define NEED_LAKES()                                               \
  NEED_EXTENSION("iceberg", "iceberg");                            \
  if (!std::filesystem::exists(Repository() / ".deps/lakes/made")) \
  GTEST_SKIP() << "pyiceberg is not here: ./dev setup --test-servers"

// Every type that Parquet files have, written by the writer that most of them come from.
inline constexpr const char* kMakeTypes =
    R"(import sys, datetime, decimal, pyarrow as pa, pyarrow.parquet as pq
n = 3
day = datetime.datetime(2026, 1, 2, 3, 4, 5, 678901)
table = pa.table({
    **{f"i{bits}": pa.array([-1, None, 7], getattr(pa, f"int{bits}")()) for bits in (8, 16, 32, 64)},
    **{f"u{bits}": pa.array([1, None, 7], getattr(pa, f"uint{bits}")()) for bits in (8, 16, 32, 64)},
    "f32": pa.array([0.1, None, float("inf")], pa.float32()),
    "f64": pa.array([0.1, None, float("nan")], pa.float64()),
    "b": pa.array([True, None, False]),
    "s": pa.array(["a", None, ""]),
    "large": pa.array(["a", None, ""], pa.large_string()),
    "dict": pa.array(["a", None, "b"]).dictionary_encode(),
    "bin": pa.array([b"a", None, b""], pa.binary()),
    "fixed": pa.array([b"ab", None, b"cd"], pa.binary(2)),
    "date": pa.array([day.date(), None, day.date()]),
    "ms": pa.array([day, None, day], pa.timestamp("ms")),
    "us": pa.array([day, None, day], pa.timestamp("us")),
    "utc": pa.array([day, None, day], pa.timestamp("us", tz="UTC")),
    "d9": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-2.50")], pa.decimal128(9, 2)),
    "d38": pa.array([decimal.Decimal("1.25"), None, decimal.Decimal("-2.50")], pa.decimal128(38, 10)),
    "list": pa.array([[1, 2], None, []], pa.list_(pa.int32())),
    "struct": pa.array([{"x": 1, "y": "a"}, None, {"x": None, "y": "b"}]),
})
pq.write_table(table, sys.argv[1])
)";

// The folder of the last run of own / "runs".
std::string FirstRun(const OwnJob& own);

}  // namespace protium::whole
