// SPDX-License-Identifier: Apache-2.0
// Outputs in tables of Delta that the embedded engine writes, read by deltalake and by ourselves.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <memory>
#include <random>
#include <thread>

#include "whole/delta_tables.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// Copies the machines whose id is below `ids` into the output.
std::string CopyJob(const std::string& output, int ids = 1'000'000) {
  return fmt::format(
      "name = \"copy\"\n[tables]\nmachines = {{ csv = \"machines.csv\" }}\n[etl]\nsql = \"SELECT "
      "id, kind, load, CAST('2026-11-27 12:00:00' AS TIMESTAMP) AS at FROM machines WHERE id < "
      "{}\"\n[outputs]\ncopied = {{ {} }}\n",
      ids, output);
}

// Rows, sum of ids, version, and types as deltalake reads them.
std::string ReadByDeltalake(const OwnJob& own, const std::string& place,
                            const ObjectServer* store = nullptr) {
  return ReadTable(own, place, store,
                   "print(rows.num_rows, sum(rows['id'].to_pylist()), table.version(), "
                   "','.join(str(field.type) for field in rows.schema))");
}

void ExpectWrittenOnce(const OwnJob& own, const ObjectServer* store, const std::string& place) {
  const std::map<std::string, std::string> environment =
      store == nullptr ? std::map<std::string, std::string>() : store->Environment();
  const std::string read = store == nullptr ? (own / place).string() : place;
  const std::string types = "int64,string,double,timestamp[us, tz=UTC]\n";
  const auto run = [&](const std::string& job, std::vector<std::string> words) {
    own.Write("job.toml", job);
    return AtStore(own, environment, std::move(words));
  };
  const std::vector<std::string> start = {"run", own / "job.toml", "--runs-dir", own / "runs"};
  const std::string into = "delta = \"" + place + "\"";
  const Outcome made = run(CopyJob(into), start);
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_EQ(ReadByDeltalake(own, read, store), "100 4950 0 " + types);
  const Outcome more = run(CopyJob(into + ", mode = \"append\"", 10), start);
  ASSERT_EQ(more.exit, 0) << more.err;
  EXPECT_EQ(ReadByDeltalake(own, read, store), "110 4995 1 " + types);
  const Outcome again = AtStore(own, environment, {"resume", FirstRun(own)});
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(ReadByDeltalake(own, read, store), "110 4995 1 " + types);
  const Outcome less = run(CopyJob(into, 3), start);
  ASSERT_EQ(less.exit, 0) << less.err;
  EXPECT_EQ(ReadByDeltalake(own, read, store), "3 3 2 " + types);
  if (!HasExtension("delta")) return;
  EXPECT_EQ(CountOf(own, store, "{ " + into + " }"), "\"n\",\"ids\"\n3,3\n");
  EXPECT_EQ(CountOf(own, store, "{ " + into + ", version = 1 }"), "\"n\",\"ids\"\n110,4995\n");
}

}  // namespace

TEST(DeltaOutput, IsWrittenOnceAndReadByOthersHere) {
  NEED_DELTALAKE();
  ExpectWrittenOnce(OwnJob(MachinesTable(100)), nullptr, "lake/copied");
}

TEST(DeltaOutput, IsWrittenOnceAndReadByOthersAtAStore) {
  NEED_DELTALAKE();
  NEED_STORE(store);
  const OwnJob own(MachinesTable(100));
  ExpectWrittenOnce(own, store, "s3://lake/written/copied");
  EXPECT_FALSE(AnyFileHas(own.path(), kStoreCanary));
}

// What the credentials' file has, DuckDB's extension reads; the commit has to be signed by us.
TEST(DeltaOutput, IsWrittenWithTheKeyOfAFile) {
  NEED_DELTALAKE();
  NEED_STORE(store);
  const OwnJob own(MachinesTable(100), CopyJob("delta = \"s3://lake/profile/copied\""));
  const auto file = own.Write("credentials", std::string("[default]\naws_access_key_id = k\n"
                                                         "aws_secret_access_key = ") +
                                                 kStoreCanary + "\n");
  std::map<std::string, std::string> environment = store->Environment();
  environment["AWS_ACCESS_KEY_ID"] = environment["AWS_SECRET_ACCESS_KEY"] = "";
  environment["AWS_SHARED_CREDENTIALS_FILE"] = file.string();
  const Outcome run =
      AtStore(own, environment, {"run", own / "job.toml", "--runs-dir", own / "runs"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_TRUE(Has(ReadByDeltalake(own, "s3://lake/profile/copied", store), "100 4950 0 "));
}

// Others clean up commits that a checkpoint covers.
void ExpectCheckpoint(const ObjectServer* store, const std::string& place) {
  const OwnJob own(MachinesTable(100));
  const std::map<std::string, std::string> environment =
      store == nullptr ? std::map<std::string, std::string>() : store->Environment();
  const std::string read = store == nullptr ? (own / place).string() : place;
  const auto run = [&](const std::string& mode, int ids) {
    own.Write("job.toml", CopyJob("delta = \"" + place + "\"" + mode, ids));
    const Outcome outcome =
        AtStore(own, environment, {"run", own / "job.toml", "--runs-dir", own / "runs"});
    EXPECT_EQ(outcome.exit, 0) << outcome.err;
  };
  const std::string append = ", mode = \"append\"";
  run("", 100);
  (void)ReadTable(own, read, store,
                  "table.alter.set_table_properties({'delta.checkpointInterval': '3'})");
  run("", 50);
  run(append, 10);
  const std::string types = "int64,string,double,timestamp[us, tz=UTC]\n";
  EXPECT_EQ(
      ReadTable(own, read, store,
                "import pyarrow.fs as fs, pyarrow.parquet as pq, json\n"
                "files, log = (fs.S3FileSystem(endpoint_override=endpoint, access_key='k', "
                "secret_key='s', region='us-east-1'), place[5:] + '/_delta_log/') if endpoint "
                "else (fs.LocalFileSystem(), place + '/_delta_log/')\n"
                "for i in range(3): files.delete_file(log + f'{i:020}.json')\n"
                "kept = pq.read_table(log + f'{3:020}.checkpoint.parquet', "
                "filesystem=files)\n"
                "last = json.loads(files.open_input_file(log + "
                "'_last_checkpoint').read())\n"
                "print(last['version'], last['size'] == kept.num_rows, "
                "[len(kept[each].drop_null()) for each in ('protocol', 'metaData', 'txn', "
                "'add', 'remove')])"),
      "3 True [1, 1, 3, 2, 1]\n");
  EXPECT_EQ(ReadByDeltalake(own, read, store), "60 1270 3 " + types);
  run(append, 5);
  EXPECT_EQ(ReadByDeltalake(own, read, store), "65 1280 4 " + types);
}

TEST(DeltaOutput, KeepsACheckpointFromWhichOthersBeginHere) {
  NEED_DELTALAKE();
  ExpectCheckpoint(nullptr, "lake/copied");
}

TEST(DeltaOutput, KeepsACheckpointFromWhichOthersBeginAtAStore) {
  NEED_DELTALAKE();
  NEED_STORE(store);
  ExpectCheckpoint(store, "s3://lake/checked/copied");
}

TEST(DeltaOutput, IsThereIfItsCheckpointFailsAndAWarningSaysSo) {
  const OwnJob own(MachinesTable(100), CopyJob("delta = \"lake\", mode = \"append\""));
  const auto run = [&] {
    return AtStore(own, {}, {"run", own / "job.toml", "--runs-dir", own / "runs"});
  };
  const Outcome first = run();
  ASSERT_EQ(first.exit, 0) << first.err;
  EXPECT_FALSE(Has(first.err, "checkpoint")) << first.err;
  const fs::path log = own.path() / "lake/_delta_log",
                 commit = log / (std::string(20, '0') + ".json");
  std::string text = ReadText(commit);
  const std::string none = "\"configuration\":{}";
  ASSERT_NE(text.find(none), text.npos) << text;
  text.replace(text.find(none), none.size(),
               "\"configuration\":{\"delta.checkpointInterval\":\"1\"}");
  std::ofstream(commit) << text;
  // No file takes the name of a folder.
  fs::create_directories(log / "_last_checkpoint");
  const Outcome second = run();
  ASSERT_EQ(second.exit, 0) << second.err;
  EXPECT_TRUE(Has(second.err,
                  "lake, but the checkpoint of its version 1 could not be written: cannot write "))
      << second.err;
  EXPECT_TRUE(Has(second.err, "until the next is due, 1 version later")) << second.err;
  fs::remove(log / "_last_checkpoint");
  const Outcome third = run();
  EXPECT_EQ(third.exit, 0) << third.err;
  EXPECT_FALSE(Has(third.err, "checkpoint")) << third.err;
  EXPECT_TRUE(fs::is_regular_file(log / "_last_checkpoint"));
}

TEST(DeltaOutput, OfManyWritersAtOnceHasAllTheirRows) {
  NEED_DELTALAKE();
  constexpr int kWriters = 4;
  const OwnJob own(MachinesTable(100), CopyJob("delta = \"lake\", mode = \"append\""));
  std::vector<std::unique_ptr<Running>> writers;
  for (int i = 0; i < kWriters; ++i) {
    writers.push_back(std::make_unique<Running>(
        std::vector<std::string>{ProtiumCommand(), "run", own / "job.toml", "--runs-dir",
                                 own / ("runs" + std::to_string(i))},
        own.path()));
  }
  for (const auto& each : writers) {
    const Outcome run = each->Wait();
    EXPECT_EQ(run.exit, 0) << run.err;
  }
  EXPECT_TRUE(Has(ReadByDeltalake(own, own / "lake"),
                  fmt::format("{} {} {} ", 100 * kWriters, 4950 * kWriters, kWriters - 1)))
      << ReadByDeltalake(own, own / "lake");
}

TEST(DeltaOutput, OfRunsThatAreKilledIsWholeAndWrittenOnce) {
  NEED_DELTALAKE();
  constexpr int kKills = 6;
  const OwnJob own(MachinesTable(2000), CopyJob("delta = \"lake\", mode = \"append\""));
  fs::create_directory(own / "lake");
  std::mt19937 random(37);
  std::uniform_int_distribution<int> micros(0, 10'000);
  for (int i = 0; i < kKills; ++i) {
    const fs::path runs = own / ("runs" + std::to_string(i));
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
    const Outcome resumed = own.Protium(
        {"resume", fs::exists(runs) ? fs::directory_iterator(runs)->path().string() : "none"});
    EXPECT_EQ(resumed.exit, 0) << resumed.err;
  }
  EXPECT_TRUE(Has(ReadByDeltalake(own, own / "lake"),
                  fmt::format("{} {} {} ", 2000 * kKills, 1999 * 1000 * kKills, kKills - 1)))
      << ReadByDeltalake(own, own / "lake");
}

TEST(DeltaOutput, GoesIntoTablesThatOthersHaveMade) {
  NEED_DELTALAKE();
  const OwnJob own(MachinesTable(100),
                   "[tables]\nmachines = { csv = \"machines.csv\" }\n[etl]\nsql = \"SELECT id, "
                   "kind FROM machines\"\n[outputs]\nout = { delta = \"lake\" }\n");
  const Outcome made = WithDeltalake(own, R"(
rows = lambda a, b: pa.table({"kind": pa.array(["mill"] * (b - a)), "id": pa.array(range(a, b), pa.int64())})
deltalake.write_deltalake(place, rows(0, 5), partition_by=["kind"])
deltalake.write_deltalake(place, rows(5, 9), mode="append")
deltalake.DeltaTable(place).create_checkpoint()
deltalake.write_deltalake(place, rows(9, 11), mode="append")
)");
  ASSERT_EQ(made.exit, 0) << made.err;
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  const Outcome read = WithDeltalake(own, R"(
table = deltalake.DeltaTable(place)
rows = table.to_pyarrow_table(filters=[("kind", "=", "lathe")])
print(table.version(), table.to_pyarrow_table().num_rows, rows.num_rows, len(table.file_uris()))
)");
  EXPECT_EQ(read.out, "3 100 33 3\n") << read.err;
}

TEST(DeltaOutput, TakesWhatPredictScores) {
  NEED_DELTALAKE();
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  ASSERT_EQ(WithDeltalake(own,
                          "deltalake.write_deltalake(place, pa.table({'id': pa.array([-1], "
                          "pa.int64()), 'prediction': pa.array([0.0])}))")
                .exit,
            0);
  const auto predict = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"predict",       "--model",  own.Model(),
                                      "--data",        own.path(), "--columns",
                                      "id,prediction", "--output", own / "lake"};
    words.insert(words.end(), more.begin(), more.end());
    return own.Protium(std::move(words));
  };
  const Outcome refused = predict({});
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_TRUE(Has(refused.err, "the Delta table already exists")) << refused.err;
  const Outcome added = predict({"--mode", "append"});
  ASSERT_EQ(added.exit, 0) << added.err;
  EXPECT_TRUE(Has(ReadByDeltalake(own, own / "lake"), "601 179699 1 "))
      << ReadByDeltalake(own, own / "lake");
}

TEST(DeltaOutput, IntoATableThatAsksForMoreOrHasOtherColumnsIsRefused) {
  NEED_DELTALAKE();
  const OwnJob own(MachinesTable(100), CopyJob("delta = \"lake\""));
  ASSERT_EQ(WithDeltalake(own, R"(
deltalake.write_deltalake(place, pa.table({"id": pa.array([1], pa.int64())}))
deltalake.DeltaTable(place).alter.add_constraint({"some": "id > 0"})
)")
                .exit,
            0);
  const Outcome constrained = own.Run();
  EXPECT_EQ(constrained.exit, 3) << constrained.err;
  EXPECT_TRUE(Has(constrained.err, "the feature checkConstraints")) << constrained.err;
  EXPECT_TRUE(Has(constrained.err, "delta.constraints.some")) << constrained.err;
  EXPECT_TRUE(Has(constrained.err, "nothing was started")) << constrained.err;
  fs::remove_all(own / "lake");
  ASSERT_EQ(WithDeltalake(own,
                          "deltalake.write_deltalake(place, pa.table({'id': pa.array([1], "
                          "pa.int64())}))")
                .exit,
            0);
  const Outcome other = own.Run();
  EXPECT_EQ(other.exit, 3) << other.err;
  EXPECT_TRUE(Has(other.err, "the table has no column \"kind\", which the rows have")) << other.err;
  EXPECT_TRUE(Has(ReadByDeltalake(own, own / "lake"), "1 1 0 int64"));
  own.Write("job.toml", CopyJob("delta = \"gs://lake/copied\""));
  const Outcome elsewhere = own.Run();
  EXPECT_EQ(elsewhere.exit, 2) << elsewhere.err;
  EXPECT_TRUE(Has(elsewhere.err, "in folders here and at s3://")) << elsewhere.err;
}

}  // namespace protium::whole
