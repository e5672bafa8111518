// SPDX-License-Identifier: Apache-2.0
// Rows written into Iceberg tables through a catalogue, read by pyiceberg and by DuckDB.
#include "whole/iceberg_output.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <string>

namespace protium::whole {

namespace fs = std::filesystem;

TEST_F(IcebergOutput, IsAppendedAndReplacedHereAndAtAStoreOnce) {
  NEED_STORE(store);
  for (const ObjectServer* const at :
       {static_cast<const ObjectServer*>(nullptr), static_cast<const ObjectServer*>(store)}) {
    Start(at);
    Outcome run = Write("id < 10", 1, "mode = \"append\"");
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(Rows(), "10 10 10.0\n");
    const Outcome again = Protium({"resume", FirstRun(own_)});
    ASSERT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(Rows(), "10 10 10.0\n");
    run = Write("id < 3", 7, "mode = \"append\"");
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(Rows(), "13 10 31.0\n");
    EXPECT_EQ(RowsByDuckDb(), "\"n\",\"loads\"\n13,31\n");
    run = Write("id < 4", 1, "mode = \"replace\"");
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(Rows(), "4 4 4.0\n");
    EXPECT_EQ(RowsByDuckDb(), "\"n\",\"loads\"\n4,4\n");
    EXPECT_EQ(catalog_->Read(
                  "s = table.current_snapshot()\nprint(s.summary.operation.value, "
                  "s.summary['deleted-records'], s.summary['total-records'], s.sequence_number, "
                  "'run' if s.summary['protium.commit'].startswith('protium ') else '')\n"
                  "print([e.status.name for m in s.manifests(table.io) for e in "
                  "m.fetch_manifest_entry(table.io, discard_deleted=False)])"),
              "overwrite 13 4 3 run\n['ADDED', 'DELETED', 'DELETED']\n");
    EXPECT_FALSE(Has(run.out + run.err, kStoreCanary));
    EXPECT_FALSE(AnyFileHas(own_ / "runs", kStoreCanary));
  }
}

TEST_F(IcebergOutput, GoesIntoATableThatOthersHaveMadeAndTheyIntoOurs) {
  Start(nullptr);
  const std::string made = catalog_->Read("print()");
  EXPECT_TRUE(Has(made, "NoSuchTableError")) << made;
  const Outcome theirs = RunLakePython(
      R"(import sys, pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
catalog = SqlCatalog("c", uri="sqlite:///" + sys.argv[1] + "/catalog.db", warehouse=sys.argv[2])
rows = pa.table({"load": [0.5, 0.5], "id": pa.array([-1, -2], pa.int64()), "kind": ["a", None]})
table = catalog.create_table("sales.scores", schema=rows.schema)
table.append(rows)
table.append(rows)
)",
      {catalog_->folder().string(), "file://" + own_.path().string()}, own_.path());
  ASSERT_EQ(theirs.exit, 0) << theirs.err;
  const Outcome run = Write("id < 10", 1, "mode = \"append\"");
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(Rows(), "14 12 12.0\n");
  EXPECT_EQ(RowsByDuckDb(), "\"n\",\"loads\"\n14,12\n");
  // Our bounds leave files out, and our manifests are merged into theirs.
  EXPECT_EQ(
      catalog_->Read("from pyiceberg.expressions import LessThan, EqualTo\n"
                     "print(len(list(table.scan(row_filter=LessThan('id', 0)).plan_files())))\n"
                     "table.delete(EqualTo('id', 3))\n"
                     "table.append(rows.slice(0, 1))\n"
                     "print(table.scan().to_arrow().num_rows)"),
      "2\n14\n");
  const Outcome less = Write("id < 4", 1, "mode = \"replace\"");
  ASSERT_EQ(less.exit, 0) << less.err;
  EXPECT_EQ(Rows(), "4 4 4.0\n");
}

// Each file has rows of one value of each partition field, which its entry names.
constexpr const char* kCheckPartitions = R"(
import pyarrow.parquet as parquet
from pyiceberg.expressions import EqualTo, IsNull
spec, files, checked = table.spec(), set(), 0
for task in table.scan().plan_files():
    if task.file.spec_id != spec.spec_id: continue
    own = parquet.ParquetFile(task.file.file_path[7:]).read()
    for field, value in zip(spec.fields, list(task.file.partition)):
        column = table.schema().find_field(field.source_id)
        of = field.transform.transform(column.field_type)
        for each in set(own[column.name].to_pylist()):
            if hasattr(each, "toordinal"): each = each.toordinal() - 719163
            assert of(each) == value, (field, each, value)
            checked += 1
    files.add(task.file.file_path)
print(rows.num_rows, len(files), checked > 0, table.scan(EqualTo("kind", "b")).to_arrow().num_rows,
      len(list(table.scan(IsNull("kind")).plan_files())))
)";

TEST_F(IcebergOutput, KeepsThePartitionsOfATable) {
  Start(nullptr);
  const Outcome theirs = RunLakePython(
      R"(import datetime, sys, pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.partitioning import PartitionSpec, PartitionField
from pyiceberg.schema import Schema
from pyiceberg.transforms import IdentityTransform, MonthTransform
from pyiceberg.types import DateType, DoubleType, LongType, NestedField, StringType
catalog = SqlCatalog("c", uri="sqlite:///" + sys.argv[1] + "/catalog.db", warehouse=sys.argv[2])
schema = Schema(NestedField(1, "id", LongType()), NestedField(2, "kind", StringType()),
                NestedField(3, "at", DateType()), NestedField(4, "load", DoubleType()))
spec = PartitionSpec(PartitionField(2, 1000, IdentityTransform(), "kind"))
table = catalog.create_table("sales.scores", schema, partition_spec=spec)
table.append(pa.table({"id": pa.array([-1, -2], pa.int64()), "kind": ["a", None],
                       "at": [datetime.date(1969, 12, 31)] * 2, "load": [0.5, 0.5]}))
with table.update_spec() as update: update.add_field("at", MonthTransform(), "month")
)",
      {catalog_->folder().string(), "file://" + own_.path().string()}, own_.path());
  ASSERT_EQ(theirs.exit, 0) << theirs.err;
  const auto write = [&](const std::string& mode) {
    const std::string job = Job("id < 60", 1, "mode = \"" + mode + "\"");
    own_.Write("job.toml",
               With(job, "id, kind, CAST",
                    "id, CASE WHEN id % 4 = 0 THEN 'b' WHEN id % 4 = 1 THEN 'it''s' END AS kind, "
                    "date_add(DATE '1969-12-12', CAST(id AS INT)) AS at, CAST"));
    fs::remove_all(own_ / "runs");
    const Outcome run = Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
    EXPECT_EQ(run.exit, 0) << run.err;
  };
  write("append");
  EXPECT_EQ(catalog_->Read(kCheckPartitions), "62 9 True 15 4\n");
  EXPECT_EQ(RowsByDuckDb(), "\"n\",\"loads\"\n62,61\n");
  // Its files have three specs then, and those of all are taken out.
  (void)catalog_->Read(
      "from pyiceberg.transforms import DayTransform\nwith table.update_spec() as spec:\n  "
      "spec.remove_field('month')\n  spec.add_field('at', DayTransform(), 'day')\n");
  write("append");
  write("replace");
  EXPECT_EQ(catalog_->Read(kCheckPartitions), "60 60 True 15 30\n");
  EXPECT_EQ(RowsByDuckDb(), "\"n\",\"loads\"\n60,60\n");
}

TEST_F(IcebergOutput, IsWrittenOnceThoughAnAnswerIsLostOrAnotherWriterIsFaster) {
  Start(nullptr);
  ASSERT_EQ(Write("id < 1", 1, "mode = \"append\"").exit, 0);
  for (const char* how : {"slower", "lost"}) {
    catalog_->Disturb(how);
    const std::string before = Rows();
    const Outcome run = Write("id < 10", 1, "mode = \"append\"");
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_FALSE(catalog_->Has(how));
    EXPECT_EQ(Rows(), std::string(how) == "slower" ? "11 10 11.0\n" : "21 10 21.0\n") << before;
  }
  catalog_->Disturb("lost");
  const Outcome replaced = Write("id < 10", 1, "mode = \"replace\"");
  ASSERT_EQ(replaced.exit, 0) << replaced.err;
  EXPECT_EQ(Rows(), "10 10 10.0\n");
  EXPECT_EQ(catalog_->Read("print(len(table.snapshots()))"), "4\n");
}

TEST_F(IcebergOutput, OfARunThatIsKilledAnywhereIsWrittenOnce) {
  Start(nullptr);
  ASSERT_EQ(Write("id < 1", 1, "mode = \"append\"").exit, 0);
  const std::string kAppend = "mode = \"append\"";
  int rows = 1;
  const fs::path table = own_ / "sales/scores";
  for (const char* folder : {"data", "metadata"}) {
    const auto files = [&] {
      return std::distance(fs::directory_iterator(table / folder), fs::directory_iterator());
    };
    const auto before = files();
    const Outcome resumed =
        KillAndResume(kAppend, table / folder, [&] { return files() > before; });
    ASSERT_EQ(resumed.exit, 0) << resumed.err;
    rows += 10;
    EXPECT_TRUE(Has(Rows(), std::to_string(rows) + " ")) << folder << Rows();
  }
  for (const char* how : {"before", "after", "crossed", "late"}) {
    fs::remove(catalog_->folder() / "arrived");
    catalog_->Disturb(how);
    const Outcome resumed =
        KillAndResume(kAppend, catalog_->folder(), [&] { return catalog_->Has("arrived"); });
    ASSERT_EQ(resumed.exit, 0) << resumed.err;
    rows += 10;
    EXPECT_TRUE(Has(Rows(), std::to_string(rows) + " ")) << how << Rows();
  }
  // What was on its way all the time is refused.
  catalog_->Disturb("go");
  ASSERT_TRUE(catalog_->Await("tried"));
  EXPECT_EQ(catalog_->Text("tried"), "409");
  EXPECT_TRUE(Has(Rows(), std::to_string(rows) + " ")) << Rows();
}

TEST_F(IcebergOutput, IsWrittenByAClientWhoseSecretBuysAToken) {
  Start(nullptr);
  const std::string job =
      With(Job("id < 10", 1, "mode = \"append\""), "password =", "key = \"writer\"\npassword =");
  own_.Write("job.toml", job);
  const Outcome run = Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(Rows(), "10 10 10.0\n");
  EXPECT_FALSE(AnyFileHas(own_ / "runs", kStoreCanary));
  own_.Write("job.toml", With(job, "env = \"TOKEN\"", "env = \"PATH\""));
  const Outcome other = Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
  EXPECT_EQ(other.exit, 5) << other.err;
  EXPECT_TRUE(Has(other.err, "the client writer gets no token")) << other.err;
}

TEST_F(IcebergOutput, IsRefusedBeforeAnythingStarts) {
  Start(nullptr);
  const auto refused = [&](const std::string& job, int exit, const std::string& says) {
    own_.Write("job.toml", job);
    const Outcome run = Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
    EXPECT_EQ(run.exit, exit) << run.err;
    EXPECT_TRUE(Has(run.err, says)) << run.err;
    EXPECT_TRUE(exit == 2 || Has(run.err, "nothing was started")) << run.err;
    EXPECT_FALSE(Has(run.err, kStoreCanary)) << run.err;
  };
  const std::string job = Job("id < 10", 1, "mode = \"append\"");
  const std::string place = "iceberg = \"sales.scores\", catalog = \"house\"";
  refused(With(job, place, "iceberg = \"lake/scores\""), 2, "are written through their catalogue");
  refused(With(job, place, "iceberg = \"other.scores\", catalog = \"house\""), 3,
          "has no namespace for the table \"other.scores\"");
  refused(With(job, "env = \"TOKEN\"", "env = \"PATH\""), 5, "the catalogue refuses the token");
  const Outcome theirs = RunLakePython(
      R"(import sys
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from pyiceberg.partitioning import PartitionSpec, PartitionField
from pyiceberg.transforms import BucketTransform
catalog = SqlCatalog("c", uri="sqlite:///" + sys.argv[1] + "/catalog.db", warehouse=sys.argv[2])
schema = Schema(NestedField(1, "id", LongType(), required=False))
spec = PartitionSpec(PartitionField(1, 1000, BucketTransform(4), "bucket"))
catalog.create_table("sales.scores", schema, partition_spec=spec)
catalog.create_table("sales.others", schema)
catalog.create_table("sales.oldest", schema, properties={"format-version": "1"})
)",
      {catalog_->folder().string(), "file://" + own_.path().string()}, own_.path());
  ASSERT_EQ(theirs.exit, 0) << theirs.err;
  refused(job, 3, "the Iceberg table is partitioned by bucket[4] of \"id\"");
  refused(With(job, "sales.scores", "sales.oldest"), 3, "of format version 1");
  own_.Write("job.toml", With(job, "sales.scores", "sales.others"));
  const Outcome other = Protium({"run", own_ / "job.toml", "--runs-dir", own_ / "runs"});
  EXPECT_EQ(other.exit, 3) << other.err;
  EXPECT_TRUE(Has(other.err, "the table has no column \"kind\", which the rows have")) << other.err;
}

}  // namespace protium::whole
