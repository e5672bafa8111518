// SPDX-License-Identifier: Apache-2.0
// Rows upserted into Iceberg tables through a catalogue, read by pyiceberg and by DuckDB.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <string>
#include <vector>

#include "whole/iceberg_output.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

class IcebergUpsert : public IcebergOutput {
 protected:
  Outcome Upsert(const std::string& where, int load) {
    return Write(where, load, "upsert = [\"id\"]");
  }
  // Runs a Python program that has pyiceberg's `catalog` and pyarrow as pa.
  Outcome Make(const std::string& program) const {
    return RunLakePython(R"(import datetime, sys, pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
catalog = SqlCatalog("c", uri="sqlite:///" + sys.argv[1] + "/catalog.db", warehouse=sys.argv[2])
)" + program,
                         {catalog_->folder().string(), "file://" + own_.path().string()},
                         own_.path());
  }
};

// Marks the last of six rows of `table` as deleted, as writers do who do not write its file anew.
constexpr const char* kMarkRow = R"(
import os, pyarrow.parquet as parquet
from pyiceberg.manifest import DataFile, DataFileContent, FileFormat, ManifestContent, ManifestWriterV2
from pyiceberg.typedef import Record
(task,) = table.scan().plan_files()
path = table.location() + "/data/marked.parquet"
schema = pa.schema([pa.field("file_path", pa.string(), False, {b"PARQUET:field_id": b"2147483546"}),
                    pa.field("pos", pa.int64(), False, {b"PARQUET:field_id": b"2147483545"})])
parquet.write_table(pa.table({"file_path": [task.file.file_path], "pos": [5]}, schema=schema), path[7:])
marks = DataFile.from_args(content=DataFileContent.POSITION_DELETES, file_path=path, file_format=FileFormat.PARQUET,
                           partition=Record(), record_count=1, file_size_in_bytes=os.path.getsize(path[7:]))
plain = ManifestWriterV2._meta.fget
ManifestWriterV2._meta = property(lambda self: {**plain(self), "content": "deletes"})
ManifestWriterV2.content = lambda self: ManifestContent.DELETES
with table.transaction() as change, change.update_snapshot().fast_append() as append:
    append.append_data_file(marks)
)";

}  // namespace

TEST_F(IcebergUpsert, ReplacesRowsByTheirKeyAndAddsTheOthersHereAndAtAStore) {
  NEED_STORE(store);
  for (const ObjectServer* const at :
       {static_cast<const ObjectServer*>(nullptr), static_cast<const ObjectServer*>(store)}) {
    Start(at);
    Outcome run = Upsert("id < 10", 1);
    ASSERT_EQ(run.exit, 0) << run.err;
    run = Upsert("id >= 90", 4);
    ASSERT_EQ(run.exit, 0) << run.err;
    run = Upsert("id >= 5 AND id < 20", 2);
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(RowsByDuckDb(), "\"n\",\"loads\"\n30,75\n");
    const Outcome again = Protium({"resume", FirstRun(own_)});
    ASSERT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(Rows("s = table.current_snapshot()\nprint(s.summary.operation.value, "
                   "s.summary['deleted-records'], s.summary['added-records'], "
                   "s.summary['total-records'], s.summary['total-data-files'], s.sequence_number, "
                   "'run' if s.summary['protium.commit'].startswith('protium ') else '')\n"
                   "print(sorted(e.status.name for m in s.manifests(table.io) for e in "
                   "m.fetch_manifest_entry(table.io, discard_deleted=False)))"),
              "30 30 75.0\noverwrite 10 20 30 2 3 run\n['ADDED', 'ADDED', 'DELETED']\n");
    EXPECT_FALSE(Has(run.out + run.err, kStoreCanary));
    EXPECT_FALSE(AnyFileHas(own_ / "runs", kStoreCanary));
  }
}

// Of a manifest with several files, those that stay are as they were, with what is known of them.
TEST_F(IcebergUpsert, KeepsTheFilesThatHoldNoKeyAsTheyAre) {
  Start(nullptr);
  const Outcome made = Make(R"(
from pyiceberg.partitioning import PartitionSpec, PartitionField
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType
schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "kind", StringType()),
                NestedField(3, "load", DoubleType()))
spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "kind"))
table = catalog.create_table("sales.scores", schema, partition_spec=spec)
table.append(pa.table({"id": pa.array([0, 1, 200, 201, 300], pa.int64()),
                       "kind": ["press", "press", "it's \\ \u00e4", "it's \\ \u00e4", None],
                       "load": [0.5] * 5}))
table.append(pa.table({"id": pa.array([400], pa.int64()), "kind": ["mill"], "load": [0.5]}))
)");
  ASSERT_EQ(made.exit, 0) << made.err;
  const std::string entries = R"(
def facts(snapshot):
    return {e.data_file.file_path: (e.status.name, e.snapshot_id, e.sequence_number, e.file_sequence_number,
                                    [dict(value) or None if hasattr(value, "items") else value
                                     for value in e.data_file._data])
            for m in snapshot.manifests(table.io)
            for e in m.fetch_manifest_entry(table.io, discard_deleted=False)}
was, now = facts(table.snapshots()[1]), facts(table.current_snapshot())
)";
  const Outcome run = Upsert("id = 1", 3);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(RowsByDuckDb(), "\"n\",\"loads\"\n6,5.5\n");
  EXPECT_EQ(Rows(entries + R"(
for path in was:
    if now[path][0] == "DELETED": continue
    for i, (a, b) in enumerate(zip(was[path][1:], now[path][1:])):
        if a != b: print(path, i, a, b)
print(sorted(status for status, *_ in now.values()))
from pyiceberg.expressions import EqualTo, IsNull
print(len(list(table.scan(row_filter=EqualTo("id", 300)).plan_files())), len(table.inspect.manifests()))
)"),
            "6 6 5.5\n['ADDED', 'ADDED', 'ADDED', 'DELETED', 'EXISTING', 'EXISTING']\n1 3\n");
}

TEST_F(IcebergUpsert, KnowsColumnsByTheirNumbersAndSeesNoRowsThatAreMarkedAsDeleted) {
  Start(nullptr);
  const Outcome made = Make(R"(
first = pa.table({"key": pa.array(range(6), pa.int64()), "kind": ["a"] * 6})
table = catalog.create_table("sales.scores", schema=first.schema)
table.append(first)
with table.update_schema() as update:
    update.rename_column("key", "id")
from pyiceberg.types import DoubleType
with table.update_schema() as update:
    update.add_column("load", DoubleType())
)" + std::string(kMarkRow));
  ASSERT_EQ(made.exit, 0) << made.err;
  const Outcome run = Upsert("id < 2", 3);
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string read =
      "rows = rows.sort_by('id')\nprint(*zip(rows['id'].to_pylist(), rows['load'].to_pylist()))";
  EXPECT_EQ(catalog_->Read(read), "(0, 3.0) (1, 3.0) (2, None) (3, None) (4, None)\n");
  EXPECT_EQ(RowsByDuckDb(), "\"n\",\"loads\"\n5,6\n");
}

TEST_F(IcebergUpsert, GoesIntoThePartitionsOfATable) {
  Start(nullptr);
  const Outcome made = Make(R"(
from pyiceberg.partitioning import PartitionSpec, PartitionField
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform
from pyiceberg.types import DoubleType, LongType, NestedField, StringType
schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "kind", StringType()),
                NestedField(3, "load", DoubleType()))
table = catalog.create_table("sales.scores", schema)
table.append(pa.table({"id": pa.array(range(20), pa.int64()), "kind": ["b", None] * 10, "load": [1.0] * 20}))
with table.update_spec() as update: update.add_field("kind", IdentityTransform(), "kind")
table.append(pa.table({"id": pa.array([20, 21], pa.int64()), "kind": ["c", "b"], "load": [1.0] * 2}))
)");
  ASSERT_EQ(made.exit, 0) << made.err;
  const Outcome run = Upsert("id = 5 OR id = 21 OR id = 50", 2);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(RowsByDuckDb(), "\"n\",\"loads\"\n23,26\n");
  // Also those that were kept are divided as the table is now.
  EXPECT_EQ(Rows(R"(
import pyarrow.parquet as parquet
for task in table.scan().plan_files():
    kinds = set(parquet.ParquetFile(task.file.file_path[7:]).read()["kind"].to_pylist())
    assert task.file.spec_id == 1 and kinds == {task.file.partition[0]}, kinds
print(len(list(table.scan().plan_files())) > 2)
)"),
            "23 23 26.0\nTrue\n");
}

TEST_F(IcebergUpsert, IsWrittenOnceThoughAnAnswerIsLost) {
  Start(nullptr);
  ASSERT_EQ(Upsert("id < 10", 1).exit, 0);
  catalog_->Disturb("lost");
  const Outcome run = Upsert("id < 20", 2);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_FALSE(catalog_->Has("lost"));
  EXPECT_EQ(Rows("print(len(table.snapshots()))"), "20 20 40.0\n2\n");
}

TEST_F(IcebergUpsert, OfManyWritersAtOnceKeepsOneRowForEachKey) {
  constexpr int kWriters = 3;
  Start(nullptr);
  ASSERT_EQ(Upsert("id < 5", 1).exit, 0);
  std::vector<std::unique_ptr<Running>> writers;
  for (int i = 0; i < kWriters; ++i) {
    const std::string job = fmt::format("job{}.toml", i);
    own_.Write(job, Job(fmt::format("id >= {}", 10 * i), 1, "upsert = [\"id\"]"));
    writers.push_back(std::make_unique<Running>(
        std::vector<std::string>{ProtiumCommand(), "run", own_ / job, "--runs-dir",
                                 own_ / ("runs" + std::to_string(i))},
        own_.path(), Environment()));
  }
  for (const auto& each : writers) {
    const Outcome run = each->Wait();
    EXPECT_EQ(run.exit, 0) << run.err;
  }
  EXPECT_EQ(Rows("print(len(table.snapshots()))"), "100 100 100.0\n4\n");
}

TEST_F(IcebergUpsert, OfARunThatIsKilledAnywhereIsWrittenOnce) {
  Start(nullptr);
  ASSERT_EQ(Upsert("id < 20", 0).exit, 0);
  int snapshots = 1;
  for (const char* how : {"after", "late"}) {
    fs::remove(catalog_->folder() / "arrived");
    catalog_->Disturb(how);
    const Outcome resumed = KillAndResume("upsert = [\"id\"]", catalog_->folder(),
                                          [&] { return catalog_->Has("arrived"); });
    ASSERT_EQ(resumed.exit, 0) << resumed.err;
    EXPECT_EQ(Rows("print(len(table.snapshots()))"), fmt::format("20 20 10.0\n{}\n", ++snapshots))
        << how;
  }
  // What was on its way all the time is refused.
  catalog_->Disturb("go");
  ASSERT_TRUE(catalog_->Await("tried"));
  EXPECT_EQ(catalog_->Text("tried"), "409");
  EXPECT_EQ(Rows(), "20 20 10.0\n");
}

TEST_F(IcebergUpsert, IsRefusedForWhatItCannotDo) {
  Start(nullptr);
  const auto refused = [&](const std::string& job) {
    own_.Write("job.toml", job);
    const Outcome run = Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
    EXPECT_EQ(run.exit, 3) << run.err;
    return run.err;
  };
  const std::string job = Job("id < 10", 1, "upsert = [\"id\"]");
  const std::string twice = refused(
      With(job, "WHERE id < 10", "WHERE id < 9 UNION ALL SELECT 3, 'a', CAST(1 AS DOUBLE)"));
  EXPECT_TRUE(Has(twice, "two of the rows to upsert have the same id: 3")) << twice;
  const std::string none =
      refused(With(job, "SELECT id, kind", "SELECT nullif(id, 4) AS id, kind"));
  EXPECT_TRUE(Has(none, "1 of the rows to upsert has no id")) << none;
  const std::string taken = refused(With(job, "SELECT id, kind", "SELECT id, kind AS fileName"));
  EXPECT_TRUE(Has(taken, "a table of Iceberg with a column \"fileName\" takes no upsert")) << taken;
}

}  // namespace protium::whole
