// SPDX-License-Identifier: Apache-2.0
// CSV and JSON lines at object stores: what local files give, at a real server.
#include <gtest/gtest.h>

#include "whole/lake_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// Runs a command with the store's environment, and copies kept in own / "kept".
Outcome Ask(const OwnJob& own, const ObjectServer& store, std::vector<std::string> words) {
  std::map<std::string, std::string> environment = store.Environment();
  environment["PROTIUM_STORE"] = (own / "kept").string();
  return AtStore(own, environment, std::move(words));
}

// What SELECT * gives, with types.
std::string RowsOf(const OwnJob& own, const ObjectServer& store, const std::string& place) {
  const Outcome rows = Ask(
      own, store, {"sql", "SELECT * FROM t", "--table", "t=" + place, "--json", "--rows", "1000"});
  // Without lines of progress.
  return rows.exit == 0 ? rows.out
                        : rows.err.substr(std::min(rows.err.size(), rows.err.find("error:")));
}

}  // namespace

TEST(TextAtStores, TrainsTheModelOfLocalFilesAndNoSecretIsLeft) {
  NEED_STORE(store);
  const OwnJob local(MachinesTable(600));
  ASSERT_EQ(local.Run().exit, 0);
  store->Put(local.path(), "text");
  const OwnJob own(MachinesTable(2), JobOver("{ csv = \"s3://lake/text/machines.csv\" }"));
  const Outcome run = Ask(own, *store, {"run", own / "job.toml", "--runs-dir", own / "runs"});
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(local));
  EXPECT_FALSE(Has(run.out + run.err, kStoreCanary));
  EXPECT_FALSE(AnyFileHas(own.path(), kStoreCanary));
  const Outcome plan = Ask(own, *store, {"plan", own / "job.toml"});
  EXPECT_TRUE(Has(plan.out, "s3://lake/text/machines.csv")) << plan.out << plan.err;
}

TEST(TextAtStores, HasTheRowsTypesAndRefusalsOfLocalFiles) {
  NEED_STORE(store);
  const OwnJob own;
  own.Write("files/odd.csv", "id,code,when,amount\n1,007,2026-01-02,1.50\n2,,2026-01-03,\"x,\"\n");
  own.Write("files/wide.tsv", "a\tb\n1\t2\n");
  own.Write("files/lines.jsonl", "{\"a\": 1, \"b\": {\"c\": [1, 2]}}\n{\"a\": 2.5}\n");
  own.Write("files/uneven.csv", "a,b\n1,2\n3\n");
  own.Write("files/uneven.jsonl", "{\"a\": 1}\n{\"a\": \n");
  own.Write("files/empty.csv", "");
  const std::string pack =
      "import sys, gzip\nopen(sys.argv[1] + '.gz', 'wb').write(gzip.compress("
      "open(sys.argv[1], 'rb').read()))\n";
  ASSERT_EQ(RunLakePython(pack, {own / "files/odd.csv"}, own.path()).exit, 0);
  store->Put(own / "files", "rows");
  for (const auto& each : fs::directory_iterator(own / "files")) {
    const std::string name = each.path().filename();
    std::string here = RowsOf(own, *store, each.path());
    const std::string folder = (own / "files").string();
    for (size_t at = 0; (at = here.find(folder, at)) != here.npos;) {
      here.replace(at, folder.size(), "s3://lake/rows");
    }
    EXPECT_EQ(RowsOf(own, *store, "s3://lake/rows/" + name), here) << name;
  }
}

TEST(TextAtStores, IsAFileAPatternOrAFolderWithPartitions) {
  NEED_STORE(store);
  const OwnJob own;
  own.Write("tree/day=1/a.csv", "id\n1\n2\n");
  own.Write("tree/day=2/b.csv", "id\n10\n");
  own.Write("tree/day=2/note.txt", "not a table\n");
  own.Write("tree/_draft/day=3/c.csv", "id\n100\n");
  store->Put(own / "tree", "tree");
  const auto counted = [&](const std::string& table) {
    own.Write("job.toml", "name = \"c\"\n[tables]\nt = " + table +
                              "\n[etl]\nsql = \"SELECT count(*) AS n, sum(id) AS ids, sum(day) AS "
                              "days FROM t\"\n[outputs]\nc = \"" +
                              (own / "c.csv").string() + "\"\n");
    const Outcome run =
        Ask(own, *store, {"run", own / "job.toml", "--runs-dir", own / "runs", "--force"});
    return run.exit == 0 ? own.Text("c.csv") : run.err;
  };
  const std::string all = "\"n\",\"ids\",\"days\"\n3,13,4\n";
  EXPECT_EQ(counted("{ csv = \"s3://lake/tree\", partitions = [\"day\"] }"), all);
  EXPECT_EQ(counted("{ csv = \"s3://lake/tree/*/*.csv\", partitions = [\"day\"] }"), all);
  EXPECT_EQ(counted("{ csv = \"tree\", partitions = [\"day\"] }"), all);
  EXPECT_EQ(CountOf(own, store, "{ csv = \"s3://lake/tree/day=2/\" }"), "\"n\",\"ids\"\n1,10\n");
  EXPECT_EQ(CountOf(own, store, "{ csv = \"s3://lake/tree/day=1/a.csv\" }"),
            "\"n\",\"ids\"\n2,3\n");
  // A partition, which begins like the name of a folder that is none.
  own.Write("weeks/_week=1/a.csv", "id\n5\n");
  store->Put(own / "weeks", "weeks");
  EXPECT_EQ(CountOf(own, store, "{ csv = \"s3://lake/weeks\", partitions = [\"_week\"] }"),
            "\"n\",\"ids\"\n1,5\n");
}

TEST(TextAtStores, IsNamedByInitInspectAndPredict) {
  NEED_STORE(store);
  const OwnJob own;
  store->Put(own.path(), "verbs");
  const std::string place = "s3://lake/verbs/machines.csv";
  const Outcome inspected = Ask(own, *store, {"inspect", place});
  EXPECT_EQ(inspected.exit, 0) << inspected.err;
  EXPECT_TRUE(Has(inspected.out, "600")) << inspected.out;
  const Outcome made =
      Ask(own, *store, {"init", place, "--label", "hours", "--output", own / "first.toml"});
  ASSERT_EQ(made.exit, 0) << made.err;
  EXPECT_TRUE(Has(own.Text("first.toml"), "machines = { csv = \"" + place + "\" }"))
      << own.Text("first.toml");
  ASSERT_EQ(Ask(own, *store,
                {"run", own / "first.toml", "--runs-dir", own / "runs", "--set", "train.epochs=1"})
                .exit,
            0);
  const auto scored = [&](const std::string& table) {
    const Outcome run = Ask(own, *store,
                            {"predict", "--model", own.Model(), "--table", "machines=" + table,
                             "--output", own / "scored.csv", "--force"});
    return run.exit == 0 ? own.Text("scored.csv") : run.err;
  };
  const std::string here = scored(own / "machines.csv");
  EXPECT_TRUE(Has(here, "prediction")) << here;
  EXPECT_EQ(scored(place), here);
}

TEST(TextAtStores, IsReadOnceAndAgainWhenItHasChanged) {
  NEED_STORE(store);
  const OwnJob own(MachinesTable(600), JobOver("{ csv = \"s3://lake/pinned/machines.csv\" }"));
  store->Put(own.path(), "pinned");
  ASSERT_EQ(Ask(own, *store, {"run", own / "job.toml", "--runs-dir", own / "runs"}).exit, 0);
  const auto resumed = [&](int epochs) {
    return Ask(own, *store,
               {"resume", FirstRun(own), "--set", fmt::format("train.epochs={}", epochs)});
  };
  Outcome again = resumed(3);
  EXPECT_EQ(again.exit, 0) << again.err;
  store->PutText("pinned/machines.csv", MachinesTable(599));
  again = resumed(4);
  EXPECT_EQ(again.exit, 3) << again.err;
  EXPECT_TRUE(Has(again.err, "the object s3://lake/pinned/machines.csv had")) << again.err;
  store->Delete("pinned/machines.csv");
  again = resumed(4);
  EXPECT_EQ(again.exit, 3) << again.err;
}

TEST(TextAtStores, ThatIsBusyOrCutIsAskedAgainAndNotForever) {
  NEED_EXTENSION("httpfs", "s3");
  std::string why;
  const auto store = ObjectServer::Start(4, why);
  if (store == nullptr) GTEST_SKIP() << why;
  const OwnJob own;
  for (int i = 0; i < 10; ++i) own.Write(fmt::format("many/{}.csv", i), fmt::format("id\n{}\n", i));
  store->Put(own / "many", "many");
  const std::string table = "{ csv = \"s3://lake/many/*.csv\" }";
  EXPECT_EQ(CountOf(own, store.get(), table), "\"n\",\"ids\"\n10,45\n");
  store->SetCut(false);
  EXPECT_EQ(CountOf(own, store.get(), table), "\"n\",\"ids\"\n10,45\n");
  store->SetCut(true);
  const auto since = std::chrono::steady_clock::now();
  const std::string said = CountOf(own, store.get(), table);
  EXPECT_TRUE(Has(said, "object store")) << said;
  EXPECT_LT(std::chrono::steady_clock::now() - since, std::chrono::seconds(60));
}

}  // namespace protium::whole
