// SPDX-License-Identifier: Apache-2.0
// Places of tables on the command line: init, inspect, sql and predict over databases.
#include <gtest/gtest.h>

#include <functional>

#include "whole/database_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// A second table, so that a place must say which.
std::string TwoTables(int rows) { return MachinesSql(rows) + "CREATE TABLE shops (id bigint);\n"; }

Outcome Typed(const OwnJob& own, std::vector<std::string> words) {
  return RunWithPassword(own, kCanary, std::move(words));
}

// What every verb does with the two tables at `place`, whose flags are `flags`.
void ExpectVerbsTake(const OwnJob& own, const std::string& place, std::vector<std::string> flags) {
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.end(), flags.begin(), flags.end());
    return Typed(own, std::move(words));
  };
  const Outcome none = with({"init", place, "--label", "hours"});
  EXPECT_EQ(none.exit, 2) << none.err;
  EXPECT_TRUE(Has(none.err, "its tables are machines, shops")) << none.err;
  const Outcome listed = with({"inspect", place});
  EXPECT_EQ(listed.exit, 0) << listed.err;
  EXPECT_TRUE(Has(listed.out, "shops")) << listed.out;
  const Outcome seen = with({"inspect", place, "--table", "machines"});
  EXPECT_EQ(seen.exit, 0) << seen.err;
  EXPECT_TRUE(Has(seen.out, "600 rows, 5 columns")) << seen.out;
  const std::string query = "SELECT count(*) AS n FROM machines";
  for (const Outcome& counted :
       {with({"sql", query, place, "--json"}), with({"sql", query, "--data", place, "--json"}),
        with({"sql", query, place, "--table", "machines", "--json"}),
        with({"sql", query, "--table", "machines=" + place + "#machines", "--json"})}) {
    EXPECT_EQ(counted.exit, 0) << counted.err;
    EXPECT_TRUE(Has(counted.out, "[[600]]")) << counted.out;
  }
  const Outcome made = with({"init", place, "--table", "machines", "--label", "hours",
                             "--estimator", "trees", "--output", own / "first.toml"});
  ASSERT_EQ(made.exit, 0) << made.err;
  const Outcome run = Typed(
      own, {"run", own / "first.toml", "--runs-dir", own / "runs", "--set", "trees.rounds=20"});
  ASSERT_EQ(run.exit, 0) << run.err;
  const Outcome scored = with({"predict", "--model", own.Model(), "--table",
                               "machines=" + place + "#machines", "--output", own / "scored.csv"});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  EXPECT_TRUE(Has(scored.out, "machines 600; out: 600")) << scored.out;
  EXPECT_TRUE(Has(made.out, "id is in the SQL nevertheless")) << made.out;
  EXPECT_TRUE(own.Text("scored.csv").starts_with("\"id\","))
      << own.Text("scored.csv").substr(0, 99);
  const Outcome input = with({"predict", "--model", own.Model(), "--input", place + "#machines",
                              "--output", own / "again.csv"});
  ASSERT_EQ(input.exit, 0) << input.err;
  EXPECT_FALSE(Has(made.out + run.err + scored.err + input.err, kCanary));
  EXPECT_FALSE(AnyFileHas(own.path(), kCanary));
}

// Scores into `place`#late again and again; `count` counts its rows.
void ExpectScoresGoTo(const OwnJob& own, const std::string& place, std::vector<std::string> flags,
                      const std::function<std::string()>& count) {
  const auto predict = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {
        "predict",   "--model",       own.Model(), "--input",      own / "machines.csv",
        "--columns", "id,prediction", "--output",  place + "#late"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), more.begin(), more.end());
    return Typed(own, std::move(words));
  };
  const Outcome first = predict({});
  ASSERT_EQ(first.exit, 0) << first.err;
  EXPECT_EQ(count(), "600\n");
  const Outcome refused = predict({});
  EXPECT_EQ(refused.exit, 2) << refused.err;
  EXPECT_TRUE(Has(refused.err, "the table late already exists")) << refused.err;
  EXPECT_EQ(predict({"--force"}).exit, 0);
  EXPECT_EQ(count(), "600\n");
  const Outcome upserted = predict({"--upsert", "id"});
  EXPECT_EQ(upserted.exit, 0) << upserted.err;
  EXPECT_EQ(count(), "600\n");
  EXPECT_EQ(predict({"--mode", "append"}).exit, 0);
  EXPECT_EQ(count(), "1200\n");
}

std::string CountIn(const OwnJob& own, const fs::path& file) {
  const Outcome counted =
      own.Protium({"sql", "SELECT count(*) AS n FROM late", file.string(), "--json"});
  const Json rows = counted.json.value("rows", Json::array());
  return rows.empty() ? counted.err : rows[0][0].dump() + "\n";
}

}  // namespace

TEST(Places, ASqliteFileIsTakenByEveryVerb) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  const OwnJob own;
  MakeSqlite(own / "shop.db", TwoTables(600));
  ExpectVerbsTake(own, own / "shop.db", {});
  const std::string job = own.Text("first.toml");
  EXPECT_TRUE(Has(job, "machines = { sqlite = \"shop.db\", table = \"machines\" }")) << job;
  ASSERT_EQ(own.Run().exit, 0);
  ExpectScoresGoTo(own, own / "scores.sqlite", {},
                   [&] { return CountIn(own, own / "scores.sqlite"); });
}

TEST(Places, ADuckDbFileIsTakenByEveryVerb) {
  const OwnJob own;
  ASSERT_EQ(own.Run().exit, 0);
  ExpectScoresGoTo(own, own / "scores.duckdb", {},
                   [&] { return CountIn(own, own / "scores.duckdb"); });
  const Outcome seen = own.Protium({"inspect", own / "scores.duckdb"});
  EXPECT_EQ(seen.exit, 0) << seen.err;
  EXPECT_TRUE(Has(seen.out, "about 1,200 rows")) << seen.out;
}

TEST(Places, APostgresServerIsTakenByEveryVerb) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(server->Sql(TwoTables(600)), "");
  const OwnJob own;
  const std::string short_url = "postgres" + server->url().substr(server->url().find(':'));
  ExpectVerbsTake(own, short_url, {"--password-env", "SHOP_PASSWORD"});
  const std::string job = own.Text("first.toml");
  EXPECT_TRUE(Has(job, "machines = { postgres = \"shop\", table = \"machines\" }")) << job;
  EXPECT_TRUE(Has(job, "[connections.shop]\nurl = \"" + short_url + "\"")) << job;
  EXPECT_TRUE(Has(job, "password = { env = \"SHOP_PASSWORD\" }")) << job;
  ASSERT_EQ(own.Run().exit, 0);
  ExpectScoresGoTo(own, server->url(), {"--password-env", "SHOP_PASSWORD"},
                   [&] { return server->Sql("SELECT count(*) FROM late"); });
  server->Sql("DROP TABLE machines; DROP TABLE shops; DROP TABLE late; DROP TABLE protium_commits");
}

TEST(Places, AMariaDbServerIsTakenByEveryVerb) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  NEED_SERVER(MariaDb);
  ASSERT_EQ(server->Sql(TwoTables(600)), "");
  const OwnJob own;
  own.Write("password", std::string(kCanary) + "\n");
  fs::permissions(own / "password", fs::perms::owner_read);
  const fs::path elsewhere = fs::path(own.path()) / "password";
  ASSERT_EQ(own.Run().exit, 0);
  ExpectScoresGoTo(own, server->url(), {"--password-file", elsewhere.string()},
                   [&] { return server->Sql("SELECT count(*) FROM late"); });
  fs::remove(elsewhere);
  server->Sql("DROP TABLE late; DROP TABLE protium_commits");
  ExpectVerbsTake(own, server->url(), {"--password-env", "SHOP_PASSWORD"});
  server->Sql("DROP TABLE machines; DROP TABLE shops");
}

TEST(Places, WrongOnesAreRefused) {
  const OwnJob own;
  const auto refused = [&](std::vector<std::string> words, const std::string& says) {
    const Outcome outcome = own.Protium(std::move(words));
    EXPECT_EQ(outcome.exit, 2) << outcome.err;
    EXPECT_TRUE(Has(outcome.err, says)) << outcome.err;
    EXPECT_FALSE(Has(outcome.err, "canary")) << outcome.err;
  };
  refused({"inspect", "postgres://me:canary@db.example/shop"}, "holds a password");
  refused({"inspect", "postgres://me@db.example"}, "names no database");
  refused({"init", own / "machines.csv", "--table", "t", "--label", "hours"}, "is not a database");
  refused({"inspect", "mysql://me@127.0.0.1:1/shop", "--password-env", "A", "--password-file", "b"},
          "two places are given");
  fs::create_directories(own / "lake/_delta_log");
  refused({"inspect", (own / "lake").string() + "#first"}, "not a version of a Delta table");
}

}  // namespace protium::whole
