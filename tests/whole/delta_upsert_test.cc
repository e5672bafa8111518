// SPDX-License-Identifier: Apache-2.0
// Rows upserted into tables of Delta, read by deltalake.
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <random>
#include <thread>

#include "whole/delta_tables.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// Upserts the machines with these ids, each with `load`.
std::string UpsertJob(const std::string& place, const std::string& where, int load) {
  return fmt::format(
      "name = \"upsert\"\n[tables]\nmachines = {{ csv = \"machines.csv\" }}\n[etl]\nsql = \"SELECT "
      "id, kind, CAST({} AS DOUBLE) AS load FROM machines WHERE {}\"\n[outputs]\nout = {{ delta = "
      "\"{}\", upsert = [\"id\"] }}\n",
      load, where, place);
}

Outcome Upsert(const OwnJob& own, const ObjectServer* store, const std::string& place,
               const std::string& where, int load) {
  own.Write("job.toml", UpsertJob(place, where, load));
  const std::map<std::string, std::string> none;
  return AtStore(own, store == nullptr ? none : store->Environment(),
                 {"run", own / "job.toml", "--runs-dir", own / "runs"});
}

// Rows, distinct ids, the sum of loads and the version, as deltalake reads them.
std::string Read(const OwnJob& own, const std::string& place, const ObjectServer* store = nullptr) {
  return ReadTable(own, place, store,
                   "print(rows.num_rows, len(set(rows['id'].to_pylist())), "
                   "sum(rows['load'].to_pylist()), table.version())");
}

}  // namespace

TEST(DeltaUpsert, ReplacesRowsByTheirKeyAndAddsTheOthersHereAndAtAStore) {
  NEED_DELTALAKE();
  std::string why;
  const ObjectServer* const store = HasExtension("httpfs") ? Store(why) : nullptr;
  for (const std::string place : {"lake/upserted", "s3://lake/upserted"}) {
    const ObjectServer* const at = place.starts_with("s3") ? store : nullptr;
    if (place.starts_with("s3") && store == nullptr) continue;
    const OwnJob own(MachinesTable(100));
    const std::string read = at == nullptr ? (own / place).string() : place;
    Outcome run = Upsert(own, at, place, "id < 10", 1);
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(Read(own, read, at), "10 10 10.0 0\n");
    run = Upsert(own, at, place, "id >= 5 AND id < 20", 2);
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(Read(own, read, at), "20 20 35.0 1\n");
    run = Upsert(own, at, place, "id >= 90", 4);
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(Read(own, read, at), "30 30 75.0 2\n");
    const std::map<std::string, std::string> none;
    const Outcome again =
        AtStore(own, at == nullptr ? none : at->Environment(), {"resume", FirstRun(own)});
    ASSERT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(Read(own, read, at), "30 30 75.0 2\n");
  }
}

TEST(DeltaUpsert, RewritesOnlyFilesThatHoldAKey) {
  NEED_DELTALAKE();
  const OwnJob own(MachinesTable(100));
  const Outcome made = WithDeltalake(own, R"(
rows = lambda a, b: pa.table({"id": pa.array(range(a, b), pa.int64()), "kind": ["press"] * (b - a),
                              "load": pa.array([1.0] * (b - a))})
for at in (0, 100, 200):
    deltalake.write_deltalake(place, rows(at, at + 10), mode="append")
rows_null = pa.table({"id": pa.array([None], pa.int64()), "kind": ["mill"], "load": [1.0]})
deltalake.write_deltalake(place, rows_null, mode="append")
deltalake.DeltaTable(place).create_checkpoint()
)");
  ASSERT_EQ(made.exit, 0) << made.err;
  const Outcome run = Upsert(own, nullptr, "lake", "id < 5", 3);
  ASSERT_EQ(run.exit, 0) << run.err;
  const Outcome read = WithDeltalake(own, R"(
import json
table = deltalake.DeltaTable(place)
rows = table.to_pyarrow_table()
lines = [json.loads(line) for line in open(place + "/_delta_log/%020d.json" % table.version())]
print(rows.num_rows, sum(rows["load"].to_pylist()), rows["id"].null_count,
      sum("remove" in line for line in lines), len(table.file_uris()))
)");
  EXPECT_EQ(read.out, "31 41.0 1 1 4\n") << read.err;
}

TEST(DeltaUpsert, RefusesTwoRowsWhoseKeyIsAnEmptyText) {
  const OwnJob own(MachinesTable(9));
  own.Write("job.toml", With(UpsertJob("lake", "id < 2", 1), "id, kind", "'' AS id, kind"));
  const Outcome run = own.Protium({"run", own / "job.toml", "--runs-dir", own / "runs"});
  EXPECT_EQ(run.exit, 3) << run.err;
  EXPECT_TRUE(Has(run.err, "two of the rows to upsert have the same id")) << run.err;
}

// A file that is not there cannot be read.
TEST(DeltaUpsert, ReadsOnlyFilesWhoseBoundsAllowAKey) {
  NEED_DELTALAKE();
  const OwnJob own(MachinesTable(100));
  ASSERT_EQ(Upsert(own, nullptr, "lake", "id < 10", 1).exit, 0);
  for (const char* const create : {"", "deltalake.DeltaTable(place).create_checkpoint()"}) {
    const Outcome made = WithDeltalake(own, R"(
rows = pa.table({"id": pa.array(range(50, 60), pa.int64()), "kind": ["a"] * 10, "load": [1.0] * 10})
deltalake.write_deltalake(place, rows, mode="append")
added = pa.table(deltalake.DeltaTable(place).get_add_actions(flatten=True)).to_pylist()
print(sorted((file["min.id"], file["max.id"], file["null_count.id"]) for file in added))
for file in added:
    if file["min.id"] == 50:
        os.rename(place + "/" + file["path"], place + "/hidden")
        print(file["path"], file=open(place + "/name", "w"))
)" + std::string(create));
    EXPECT_EQ(made.out, "[(0, 9, 0), (50, 59, 0)]\n") << made.err;
    const Outcome past = Upsert(own, nullptr, "lake", "id = 7", 2);
    EXPECT_EQ(past.exit, 0) << past.err;
    const Outcome in = Upsert(own, nullptr, "lake", "id = 55", 2);
    EXPECT_NE(in.exit, 0) << in.err;
    const Outcome back = WithDeltalake(own, R"(
os.rename(place + "/hidden", place + "/" + open(place + "/name").read().strip())
deltalake.DeltaTable(place).delete("id >= 50")
)");
    ASSERT_EQ(back.exit, 0) << back.err;
  }
}

TEST(DeltaUpsert, GoesIntoPartitionsAndPastColumnsThatCameLater) {
  NEED_DELTALAKE();
  const OwnJob own(MachinesTable(9));
  const Outcome made = WithDeltalake(own, R"(
first = pa.table({"id": pa.array(range(9), pa.int64()), "kind": ["press", "la/the", None] * 3})
deltalake.write_deltalake(place, first, partition_by=["kind"])
later = pa.table({"id": pa.array([20], pa.int64()), "kind": ["mill"], "load": [7.0]})
deltalake.write_deltalake(place, later, mode="append", schema_mode="merge")
)");
  ASSERT_EQ(made.exit, 0) << made.err;
  const Outcome run = Upsert(own, nullptr, "lake", "id < 2", 3);
  ASSERT_EQ(run.exit, 0) << run.err;
  const Outcome read = WithDeltalake(own, R"(
rows = deltalake.DeltaTable(place).to_pyarrow_table().sort_by("id")
print(*zip(rows["id"].to_pylist(), rows["kind"].to_pylist(), rows["load"].to_pylist()), sep="\n")
)");
  EXPECT_EQ(read.out,
            "(0, 'press', 3.0)\n(1, 'lathe', 3.0)\n(2, None, None)\n(3, 'press', None)\n(4, "
            "'la/the', None)\n(5, None, None)\n(6, 'press', None)\n(7, 'la/the', None)\n(8, None, "
            "None)\n(20, 'mill', 7.0)\n")
      << read.err;
}

TEST(DeltaUpsert, OfManyWritersAtOnceKeepsOneRowForEachKey) {
  NEED_DELTALAKE();
  constexpr int kWriters = 4;
  const OwnJob own(MachinesTable(100));
  std::vector<std::unique_ptr<Running>> writers;
  for (int i = 0; i < kWriters; ++i) {
    const std::string job = fmt::format("job{}.toml", i);
    own.Write(job, UpsertJob("lake", fmt::format("id >= {}", 10 * i), 1));
    writers.push_back(std::make_unique<Running>(
        std::vector<std::string>{ProtiumCommand(), "run", own / job, "--runs-dir",
                                 own / ("runs" + std::to_string(i))},
        own.path()));
  }
  for (const auto& each : writers) {
    const Outcome run = each->Wait();
    EXPECT_EQ(run.exit, 0) << run.err;
  }
  EXPECT_EQ(Read(own, own / "lake"), "100 100 100.0 3\n");
}

TEST(DeltaUpsert, OfRunsThatAreKilledIsWholeAndOnce) {
  NEED_DELTALAKE();
  constexpr int kKills = 6;
  const OwnJob own(MachinesTable(2000));
  ASSERT_EQ(Upsert(own, nullptr, "lake", "id < 1500", 0).exit, 0);
  std::mt19937 random(39);
  std::uniform_int_distribution<int> micros(0, 10'000);
  for (int i = 0; i < kKills; ++i) {
    own.Write("job.toml", UpsertJob("lake", "id >= 500", i + 1));
    const fs::path runs = own / ("killed" + std::to_string(i));
    // When its files are there, and when its commit is.
    const fs::path seen = own / (i % 2 == 0 ? "lake" : "lake/_delta_log");
    const auto files = [&] {
      return std::distance(fs::directory_iterator(seen), fs::directory_iterator());
    };
    const auto before = files();
    Running run({ProtiumCommand(), "run", own / "job.toml", "--runs-dir", runs.string()},
                own.path());
    EXPECT_TRUE(run.AwaitChange(own / "lake", [&] { return files() > before; }));
    std::this_thread::sleep_for(std::chrono::microseconds(micros(random)));
    run.Signal(SIGKILL);
    run.Wait();
    const Outcome resumed = own.Protium({"resume", fs::directory_iterator(runs)->path().string()});
    EXPECT_EQ(resumed.exit, 0) << resumed.err;
    EXPECT_EQ(Read(own, own / "lake"), fmt::format("2000 2000 {}.0 {}\n", 1500 * (i + 1), i + 1));
  }
}

TEST(DeltaUpsert, IsRefusedForWhatItWouldBreak) {
  NEED_DELTALAKE();
  const OwnJob own(MachinesTable(100));
  const auto refused = [&](const std::string& make, const std::string& sql) {
    fs::remove_all(own / "lake");
    const Outcome made = WithDeltalake(own, make);
    EXPECT_EQ(made.exit, 0) << made.err;
    own.Write("job.toml", With(UpsertJob("lake", "id < 9", 1), "WHERE id < 9", sql));
    const Outcome run = own.Run();
    EXPECT_EQ(run.exit, 3) << run.err;
    return run.err;
  };
  const std::string plain =
      "rows = pa.table({'id': pa.array([1], pa.int64()), 'kind': ['a'], 'load': [0.0]})\n"
      "deltalake.write_deltalake(place, rows";
  EXPECT_TRUE(Has(
      refused(plain + ", configuration={'delta.enableChangeDataFeed': 'true'})\n", "WHERE id < 9"),
      "the feature changeDataFeed"));
  EXPECT_TRUE(
      Has(refused(plain + ", configuration={'delta.appendOnly': 'true'})\n", "WHERE id < 9"),
          "the feature appendOnly"));
  const std::string twice =
      refused(plain + ")\n", "WHERE id < 9 UNION ALL SELECT 3, 'a', CAST(1 AS DOUBLE)");
  EXPECT_TRUE(Has(twice, "two of the rows to upsert have the same id: 3")) << twice;
  const std::string marked = refused(plain + R"()
import json
log = place + "/_delta_log/00000000000000000000.json"
lines = [json.loads(line) for line in open(log)]
for line in lines:
    if "protocol" in line:
        line["protocol"] = {"minReaderVersion": 3, "minWriterVersion": 7,
                            "readerFeatures": ["deletionVectors"], "writerFeatures": ["deletionVectors"]}
    if "add" in line:
        line["add"]["deletionVector"] = {"storageType": "u", "pathOrInlineDv": "ab", "offset": 1,
                                         "sizeInBytes": 36, "cardinality": 1}
open(log, "w").writelines(json.dumps(line) + "\n" for line in lines)
)",
                                     "WHERE id < 9");
  EXPECT_TRUE(Has(marked, "deletionVectors")) << marked;
}

}  // namespace protium::whole
