// SPDX-License-Identifier: Apache-2.0
// Outputs in databases: keys that are upserted, and commits that are killed.
#include <gtest/gtest.h>
#include <signal.h>

#include <random>
#include <thread>

#include "whole/database_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// A job that only copies `rows` numbers from one table of the server to another.
std::string CopyJob(const DatabaseServer& server, const std::string& kind, const std::string& sql,
                    const std::string& output) {
  return "name = \"copy\"\n[tables]\nnumbers = { " + kind +
         " = \"shop\", table = \"numbers\" }\n[etl]\nsql = \"" + sql +
         "\"\n[outputs]\ncopied = { " + kind + " = \"shop\", table = \"copied\", " + output +
         " }\n" + Shop(server);
}

void ExpectUpserted(const DatabaseServer& server, const std::string& kind) {
  ASSERT_EQ(server.Sql("CREATE TABLE numbers (id bigint, part varchar(9), x bigint); "
                       "INSERT INTO numbers VALUES (1, 'a', 10), (2, 'a', 20), (1, 'b', 30); "
                       "CREATE TABLE copied (id bigint, part varchar(9), x bigint, "
                       "PRIMARY KEY (id, part)); "
                       "INSERT INTO copied VALUES (1, 'a', -1), (9, 'z', -9)"),
            "");
  const OwnJob own;
  const auto run = [&](const std::string& sql, const std::string& output) {
    own.Write("job.toml", CopyJob(server, kind, sql, output));
    return RunJob(own);
  };
  const std::string all = "SELECT id, part, x FROM numbers";
  const Outcome first = run(all, "upsert = [\"id\", \"part\"]");
  ASSERT_EQ(first.exit, 0) << first.err;
  const std::string rows = "1\ta\t10\n1\tb\t30\n2\ta\t20\n9\tz\t-9\n";
  std::string seen = server.Sql("SELECT id, part, x FROM copied ORDER BY id, part");
  for (char& c : seen) c = c == '|' ? '\t' : c;
  EXPECT_EQ(seen, rows);
  const Outcome twice = run(all, "mode = \"upsert\", upsert = [\"id\"]");
  EXPECT_EQ(twice.exit, 3) << twice.err;
  EXPECT_TRUE(Has(twice.err, "two of the rows to upsert have the same id: 1")) << twice.err;
  const Outcome null = run("SELECT CASE WHEN x > 10 THEN id END AS id, part, x FROM numbers",
                           "upsert = [\"id\", \"part\"]");
  EXPECT_EQ(null.exit, 3) << null.err;
  EXPECT_TRUE(Has(null.err, "1 of the rows to upsert has no id")) << null.err;
  const Outcome strange = run(all, "upsert = [\"ID2\"]");
  EXPECT_EQ(strange.exit, 3) << strange.err;
  EXPECT_TRUE(Has(strange.err, "needs column \"ID2\"")) << strange.err;
  const Outcome none = run(all, "mode = \"upsert\"");
  EXPECT_EQ(none.exit, 2) << none.err;
  EXPECT_TRUE(Has(none.err, "needs the columns to upsert by")) << none.err;
  const Outcome left_out = run(all, "columns = [\"x\"], upsert = [\"id\"]");
  EXPECT_EQ(left_out.exit, 2) << left_out.err;
  EXPECT_TRUE(Has(left_out.err, "has no column \"id\" to upsert by")) << left_out.err;
  std::string after = server.Sql("SELECT id, part, x FROM copied ORDER BY id, part");
  for (char& c : after) c = c == '|' ? '\t' : c;
  EXPECT_EQ(after, rows);
  EXPECT_FALSE(Has(server.Sql(kind == "mysql" ? "SHOW TABLES"
                                              : "SELECT relname FROM pg_class WHERE relkind = 'r'"),
                   "protium_keys"));
  server.Sql("DROP TABLE numbers; DROP TABLE copied; DROP TABLE protium_commits");
}

// The only run of the folder; empty: it was killed before there was one.
std::string RunIn(const fs::path& runs) {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(runs, error)) {
    if (fs::exists(entry.path() / "run.json")) return entry.path().string();
  }
  return {};
}

// Starts the job, kills it a moment after the server first hears of the commit, and resumes it.
// Returns whether there was a run to resume.
bool RunKilledAndResumed(const OwnJob& own, const DatabaseServer& server,
                         std::chrono::microseconds after) {
  const fs::path runs = own / "runs";
  fs::remove_all(runs);
  const size_t before = server.Log().size();
  {
    Running run({ProtiumCommand(), "run", (own / "job.toml").string(), "--runs-dir", runs.string()},
                own.path(), {{"SHOP_PASSWORD", kCanary}});
    for (int i = 0; i < 6000 && run.alive(); ++i) {
      if (server.Log().find("protium_commits", before) != std::string::npos) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(after);
    run.Signal(SIGKILL);
    run.Wait();
  }
  const std::string folder = RunIn(runs);
  if (folder.empty()) return false;
  const Outcome resumed = RunWithPassword(own, kCanary, {"resume", folder});
  EXPECT_EQ(resumed.exit, 0) << resumed.err;
  return true;
}

}  // namespace

TEST(Commits, UpsertedRowsReplaceThoseWithTheirKeysInPostgres) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ExpectUpserted(*server, "postgres");
}

TEST(Commits, UpsertedRowsReplaceThoseWithTheirKeysInMariaDb) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  NEED_SERVER(MariaDb);
  ExpectUpserted(*server, "mysql");
}

TEST(Commits, UpsertedRowsReplaceThoseWithTheirKeysInFiles) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  const OwnJob own;
  for (const char* kind : {"sqlite", "duckdb"}) {
    const std::string job =
        "[tables]\nmachines = { csv = \"machines.csv\" }\n[etl]\nsql = \"SELECT id % 7 AS id, "
        "max(age) AS age FROM machines WHERE id < {} GROUP BY 1\"\n[outputs]\nout = { " +
        std::string(kind) + " = \"out.db\", table = \"out\", upsert = [\"id\"] }\n";
    for (const char* below : {"3", "600"}) {
      own.Write("job.toml", With(job, "{}", below));
      const Outcome run = own.Run();
      ASSERT_EQ(run.exit, 0) << run.err;
    }
    const Outcome rows =
        own.Protium({"sql", "SELECT count(*), count(DISTINCT id), min(age) FROM out",
                     own / "out.db", "--table", "out", "--json"});
    EXPECT_TRUE(Has(rows.out, "[[7,7,22]]")) << rows.out << rows.err;
    fs::remove(own / "out.db");
  }
}

TEST(Commits, ThirtyKillsLoseNothingAndWriteNothingTwice) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  constexpr int kRows = 20'000;
  ASSERT_EQ(server->Sql(fmt::format("CREATE TABLE numbers AS SELECT g AS id, g * 2 AS x FROM "
                                    "generate_series(1, {}) g; CREATE TABLE copied (id int, x int)",
                                    kRows)),
            "");
  const OwnJob own;
  own.Write("job.toml",
            CopyJob(*server, "postgres", "SELECT id, x FROM numbers", "mode = \"append\""));
  std::mt19937 random(37);
  std::uniform_int_distribution<int> micros(0, 60'000);
  int done = 0;
  for (int kill = 0; kill < 30; ++kill) {
    done += RunKilledAndResumed(own, *server, std::chrono::microseconds(micros(random)));
    ASSERT_EQ(server->Sql("SELECT count(*), count(DISTINCT id) FROM copied"),
              fmt::format("{}|{}\n", done * kRows, done == 0 ? 0 : kRows))
        << "after kill " << kill;
  }
  EXPECT_EQ(done, 30);
  EXPECT_EQ(server->Sql("SELECT count(*) FROM protium_commits"), fmt::format("{}\n", done));
  server->Sql("DROP TABLE numbers; DROP TABLE copied; DROP TABLE protium_commits");
}

}  // namespace protium::whole
