// SPDX-License-Identifier: Apache-2.0
// Lakes and object stores on Spark, with the server and the rules of spark_sources_test.cc: what
// the embedded engine reads and writes there.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "whole/delta_tables.h"
#include "whole/iceberg_catalog.h"
#include "whole/lake_jobs.h"
#include "whole/spark_with_jars.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// The job's own key to the store; neither the server nor the command's environment has one.
Connection LakeOf(const ObjectServer& store) {
  return {.url = "s3://lake",
          .password = {.env = "SHOP_PASSWORD"},
          .key = "own",
          .endpoint = store.url(),
          .region = "us-east-1"};
}

std::string LakeSection(const ObjectServer& store) {
  return fmt::format(
      "[connections.lake]\nurl = \"s3://lake\"\nkey = \"own\"\nregion = \"us-east-1\"\nendpoint = "
      "\"{}\"\npassword = {{ env = \"SHOP_PASSWORD\" }}\n",
      store.url());
}

}  // namespace

TEST_F(SparkSources, ParquetAtAStoreTrainsTheSameModelAndNoSecretIsLeft) {
  NEED_STORE(store);
  const OwnJob csv;
  ASSERT_EQ(csv.Run().exit, 0);
  const Outcome made = csv.Protium({"sql", "SELECT * FROM machines", "--table",
                                    "machines=" + (csv / "machines.csv").string(), "--output",
                                    csv / "lake/machines.parquet"});
  ASSERT_EQ(made.exit, 0) << made.err;
  store->Put(csv / "lake", "spark");
  const OwnJob own(MachinesTable(2),
                   JobOver("{ parquet = \"s3://lake/spark/*.parquet\" }", LakeSection(*store)));
  const Outcome plan = Protium(own, {"plan", own / "job.toml", "--engine", spark_->address()});
  const Outcome run = RunJob(own);
  if (Has(run.err, "has no connector for s3://")) GTEST_SKIP() << "this server has no connector";
  ASSERT_EQ(plan.exit, 0) << plan.err;
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(csv));
  ExpectNoSecret(own, plan);
  ExpectNoSecret(own, run);
}

TEST_F(SparkSources, TypesOfParquetAtAStoreAreTheSameOnBothEngines) {
  NEED_LAKES();
  NEED_STORE(store);
  const OwnJob own;
  fs::create_directories(own / "types/part=01");
  const std::string file = own / "types/part=01/all.parquet";
  const Outcome made = RunLakePython(kMakeTypes, {file}, own.path());
  ASSERT_EQ(made.exit, 0) << made.err;
  fs::create_directories(own / "types/part=02");
  fs::copy(file, own / "types/part=02/all.parquet");
  store->Put(own / "types", "spark-types");
  ExpectSameRows({.kind = SourceKind::kParquet,
                  .file = "s3://lake/spark-types/*/*.parquet",
                  .stores = {LakeOf(*store)},
                  .partitions = {"part"}});
  fs::rename(file, own / "types/part=01/all[1].parquet");
  store->Put(own / "types", "spark-names");
  const auto engine = OpenEngine({.engine = spark_->address()});
  ASSERT_TRUE(engine.ok()) << engine.status().ToString();
  const Source named{.kind = SourceKind::kParquet,
                     .file = "s3://lake/spark-names/part=01/*.parquet",
                     .stores = {LakeOf(*store)}};
  const auto pinned = (*engine)->Pin(named, {});
  ASSERT_TRUE(pinned.ok()) << pinned.status().ToString();
  const Status refused = (*engine)->Analyze(MakePlan(NamedTable{"t", *pinned}), {}).status();
  EXPECT_TRUE(Has(refused.ToString(), "Spark does not read the table")) << refused.ToString();
}

TEST_F(SparkSources, IcebergIsReadAtItsSnapshotHereAndAtAStore) {
  NEED_LAKES();
  NEED_STORE(store);
  for (const std::string warehouse : {"", "s3://lake/spark-wh"}) {
    const OwnJob own;
    const bool here = warehouse.empty();
    const Outcome made =
        RunLakePython(kMakeIceberg,
                      {own.path().string(), here ? "file://" + own.path().string() : warehouse,
                       here ? "" : store->url()},
                      own.path());
    ASSERT_EQ(made.exit, 0) << made.err;
    const auto count = [&](const std::string& version) {
      own.Write("job.toml",
                fmt::format("name = \"c\"\n[tables]\nt = {{ iceberg = \"{}/sales/prices\"{} }}\n"
                            "[etl]\nsql = \"SELECT count(*) AS n, sum(id) AS ids FROM t\"\n"
                            "[outputs]\nn = {{ sqlite = \"n.db\", table = \"n\" }}\n{}",
                            here ? own.path().string() : warehouse, version, LakeSection(*store)));
      const Outcome run = RunJob(own);
      if (run.exit != 0) return run.err;
      return own.Protium({"sql", "SELECT n, ids FROM n", own / "n.db", "--table", "n", "--json"})
          .out;
    };
    const std::string all = count("");
    if (Has(all, "has no reader of Iceberg tables")) GTEST_SKIP() << all;
    if (!here && Has(all, "has no connector for s3://")) GTEST_SKIP() << "of stores: " << all;
    EXPECT_TRUE(Has(all, "[[100,4950]]")) << all;
    const std::string first = made.out.substr(0, made.out.find('\n'));
    const std::string old = count(", version = " + first);
    EXPECT_TRUE(Has(old, "[[10,45]]")) << old;
    EXPECT_TRUE(Has(count(", version = 5"), "has no snapshot 5"));
  }
}

// Needs no jar: the rows come to the driver, which writes as the embedded engine does.
TEST_F(SparkSources, RowsGoIntoIcebergThroughItsCatalogueOnce) {
  NEED_LAKES();
  const OwnJob own(MachinesTable(100));
  const IcebergCatalog catalog("file://" + own.path().string(), nullptr);
  setenv("TOKEN", kStoreCanary, 1);
  const auto job = [&](const std::string& table) {
    return "name = \"out\"\n[tables]\nmachines = { csv = \"machines.csv\" }\n[etl]\nsql = "
           "\"SELECT id, kind, load FROM machines WHERE id < 10\"\n[outputs]\nout = { iceberg = "
           "\"" +
           table + "\", catalog = \"house\", mode = \"append\" }\n" + catalog.Section();
  };
  own.Write("job.toml", job("other.scores"));
  const Outcome refused = RunJob(own);
  EXPECT_EQ(refused.exit, 3) << refused.err;
  EXPECT_TRUE(Has(refused.err, "has no namespace")) << refused.err;
  EXPECT_TRUE(Has(refused.err, "nothing was started")) << refused.err;
  own.Write("job.toml", job("sales.scores"));
  fs::remove_all(own / "runs");
  const Outcome run = RunJob(own);
  ASSERT_EQ(run.exit, 0) << run.err;
  const Outcome again = Protium(own, {"resume", FirstRun(own)});
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(
      catalog.Read("print(rows.num_rows, sum(rows['id'].to_pylist()), len(table.snapshots()))"),
      "10 45 1\n");
  own.Write("job.toml", With(With(job("sales.scores"), "mode = \"append\"", "upsert = [\"id\"]"),
                             "id < 10", "id >= 5 AND id < 20"));
  fs::remove_all(own / "runs");
  const Outcome upserted = RunJob(own);
  ASSERT_EQ(upserted.exit, 0) << upserted.err;
  EXPECT_EQ(
      catalog.Read("print(rows.num_rows, sum(rows['id'].to_pylist()), len(table.snapshots()))"),
      "20 190 2\n");
  own.Write(
      "job.toml",
      "name = \"back\"\n[tables]\nt = { iceberg = \"sales.scores\", catalog = \"house\" }\n[etl]\n"
      "sql = \"SELECT count(*) AS n, sum(id) AS ids FROM t\"\n[outputs]\nn = { sqlite = "
      "\"n.db\", table = \"n\" }\n" +
          catalog.Section());
  const Outcome back = RunJob(own);
  if (Has(back.err, "has no reader of Iceberg tables")) {
    EXPECT_TRUE(Has(back.err, "spark.jars.packages=org.apache.iceberg")) << back.err;
  } else {
    EXPECT_EQ(back.exit, 0) << back.err;
    EXPECT_TRUE(Has(
        own.Protium({"sql", "SELECT n, ids FROM n", own / "n.db", "--table", "n", "--json"}).out,
        "[[20,190]]"));
  }
  ExpectNoSecret(own, back);
}

TEST_F(SparkSources, TextAtAStoreTrainsTheSameModelAsFilesHere) {
  NEED_STORE(store);
  const OwnJob csv;
  ASSERT_EQ(csv.Run().exit, 0);
  store->Put(csv.path(), "text");
  const OwnJob own(MachinesTable(2),
                   JobOver("{ csv = \"s3://lake/text/machines.csv\" }", LakeSection(*store)));
  const Outcome run = RunJob(own);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(csv));
  ExpectNoSecret(own, run);
  // Lines of JSON and columns of folders.
  own.Write("lines/day=1/a.jsonl", "{\"id\": 1}\n{\"id\": 2}\n");
  own.Write("lines/day=2/b.csv", "id\n10\n");
  store->Put(own / "lines", "lines");
  own.Write("job.toml",
            "[tables]\na = { file = \"s3://lake/lines/day=1/a.jsonl\" }\n"
            "b = { csv = \"s3://lake/lines/*/*.csv\", partitions = [\"day\"] }\n[etl]\n"
            "sql = \"SELECT sum(a.id) AS a, max(b.id) AS b, max(b.day) AS day FROM a, b\"\n"
            "[outputs]\nn = \"" +
                (own / "n.parquet").string() + "\"\n" + LakeSection(*store));
  const Outcome both = RunJob(own);
  ASSERT_EQ(both.exit, 0) << both.err;
  const Outcome shown =
      Protium(own, {"sql", "SELECT * FROM n", "--table", "n=" + (own / "n.parquet").string()});
  EXPECT_TRUE(Has(shown.out, "3") && Has(shown.out, "10") && Has(shown.out, "2")) << shown.out;
}

TEST_F(SparkSources, OtherStoresAndTwoKeysForOneBucketAreRefused) {
  const OwnJob own(MachinesTable(2), JobOver("{ parquet = \"gs://lake/a.parquet\" }"));
  const Outcome other = RunJob(own);
  EXPECT_EQ(other.exit, 2) << other.err;
  EXPECT_TRUE(Has(other.err, "reads and writes tables at s3://")) << other.err;
}

namespace {

// Upserts the machines with these ids, each with `load`.
std::string UpsertJob(const std::string& place, const std::string& where, const std::string& load,
                      const std::string& more) {
  return fmt::format(
             "name = \"upsert\"\n[tables]\nmachines = {{ csv = \"machines.csv\" }}\n[etl]\nsql = "
             "\"SELECT "
             "id, kind, CAST({} AS DOUBLE) AS load FROM machines WHERE {}\"\n[outputs]\nout = {{ "
             "delta = "
             "\"{}\", upsert = [\"id\"] }}\n",
             load, where, place) +
         more;
}

// Rows, distinct ids, the sum of loads and the version, as deltalake reads them.
std::string ReadUpserted(const OwnJob& own, const std::string& place, const ObjectServer* store) {
  return ReadTable(own, place, store,
                   "print(rows.num_rows, len(set(rows['id'].to_pylist())), "
                   "sum(rows['load'].to_pylist()), table.version())");
}

}  // namespace

TEST_F(SparkSources, RowsAreUpsertedIntoDeltaOnceHereAndAtAStore) {
  NEED_DELTALAKE();
  NEED_STORE(store);
  for (const std::string place : {"lake/upserted", "s3://lake/upserted"}) {
    const bool away = place.starts_with("s3");
    const OwnJob own(MachinesTable(100));
    const std::string read = away ? place : (own / place).string();
    const std::string section = LakeSection(*store);
    const auto upsert = [&](const std::string& where, const std::string& load) {
      own.Write("job.toml", UpsertJob(place, where, load, section));
      return RunJob(own);
    };
    const auto rows = [&] { return ReadUpserted(own, read, away ? store : nullptr); };
    Outcome run = upsert("id < 10", "1");
    if (Has(run.err, "has no reader of Delta") || Has(run.err, "has no connector")) {
      GTEST_SKIP() << run.err;
    }
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(rows(), "10 10 10.0 0\n");
    run = upsert("id >= 5 AND id < 20", "2");
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(rows(), "20 20 35.0 1\n");
    const std::string second = FirstRun(own);
    // Another run's rows are not undone by the resumed one.
    run = upsert("id >= 15 AND id < 20", "4");
    ASSERT_EQ(run.exit, 0) << run.err;
    EXPECT_EQ(rows(), "20 20 45.0 2\n");
    const Outcome again = Protium(own, {"resume", second});
    ASSERT_EQ(again.exit, 0) << again.err;
    EXPECT_EQ(rows(), "20 20 45.0 2\n");
    ExpectNoSecret(own, run);
  }
}

TEST_F(SparkSources, RowsWithoutAKeyOrWithTheSameAreNotUpserted) {
  const OwnJob own(MachinesTable(20));
  own.Write("job.toml", UpsertJob("lake/keys", "id < 10", "1", ""));
  const Outcome made = RunJob(own);
  if (Has(made.err, "has no reader of Delta")) GTEST_SKIP() << made.err;
  ASSERT_EQ(made.exit, 0) << made.err;
  const auto upsert = [&](const std::string& id) {
    own.Write("job.toml", With(UpsertJob("lake/keys", "id < 10", "1", ""), "SELECT id",
                               "SELECT " + id + " AS id"));
    return RunJob(own);
  };
  const Outcome none = upsert("CASE WHEN id < 9 THEN id END");
  EXPECT_EQ(none.exit, 3) << none.err;
  EXPECT_TRUE(Has(none.err, "1 of the rows to upsert has no id")) << none.err;
  const Outcome same = upsert("least(id, 7)");
  EXPECT_EQ(same.exit, 3) << same.err;
  EXPECT_TRUE(Has(same.err, "two of the rows to upsert have the same id: 7")) << same.err;
}

// On a server as Spark ships it.
TEST(SparkSourcesWithoutJars, WithoutAConnectorStoresAreRefusedBeforeAnythingStarts) {
  const char* const address = std::getenv("PROTIUM_TEST_SPARK");
  if (address == nullptr) GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
  NEED_STORE(store);
  const OwnJob own(MachinesTable(40),
                   JobOver("{ csv = \"s3://lake/bare/machines.csv\" }", LakeSection(*store)));
  store->Put(own.path(), "bare");
  const Outcome run =
      AtStore(own, {{"SHOP_PASSWORD", kCanary}},
              {"run", own / "job.toml", "--runs-dir", own / "runs", "--engine", address});
  EXPECT_EQ(run.exit, 4) << run.err;
  EXPECT_TRUE(Has(run.err, "the Spark server has no connector for s3://")) << run.err;
  EXPECT_TRUE(Has(run.err, "hadoop-aws")) << run.err;
}

}  // namespace protium::whole
