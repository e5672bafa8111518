// SPDX-License-Identifier: Apache-2.0
// Servers that go away, passwords that expire, tables that change, and where a password is while a
// run goes on.
#include <gtest/gtest.h>

#include <thread>

#include "whole/database_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

// A job that reads a table for as long as the server lets it.
std::string SumJob(const DatabaseServer& server, const std::string& table = "large") {
  return "name = \"sum\"\n[tables]\nt = { postgres = \"shop\", table = \"" + table +
         "\" }\n[etl]\nsql = \"SELECT sum(x) AS s FROM t\"\n[outputs]\ns = \"s.csv\"\n" +
         Shop(server);
}

// Nothing that looks like a result, and no process.
void ExpectNothingLeft(const OwnJob& own, const Outcome& outcome) {
  EXPECT_NE(outcome.exit, 0) << outcome.out;
  EXPECT_LT(outcome.seconds, 60);
  EXPECT_FALSE(Has(outcome.out + outcome.err, kCanary)) << outcome.err;
  EXPECT_FALSE(AnyFileHas(own.path(), kCanary));
  std::error_code error;
  for (const auto& entry : fs::recursive_directory_iterator(own / "runs", error)) {
    EXPECT_NE(entry.path().filename(), "s.csv");
  }
}

// Rows that take the server a while, each.
constexpr const char* kSlowView =
    "CREATE VIEW slow AS SELECT g AS x, pg_sleep(0.005) IS NULL AS waited FROM "
    "generate_series(1, 20000) g";

// Runs the job until the server is at its query, then calls `then`.
template <typename Then>
Outcome RunUntilItReads(const OwnJob& own, const DatabaseServer& server, Then then) {
  Running run(
      {ProtiumCommand(), "run", (own / "job.toml").string(), "--runs-dir", (own / "runs").string()},
      own.path(), {{"SHOP_PASSWORD", kCanary}});
  for (int i = 0; i < 300 && run.alive(); ++i) {
    if (Has(server.Sql("SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%slow%' AND pid <> "
                       "pg_backend_pid() AND state = 'active'"),
            "0")) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      continue;
    }
    then();
    break;
  }
  return run.Wait();
}

}  // namespace

TEST(SourceFaults, AConnectionCutInMidScanIsSaid) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(server->Sql(kSlowView), "");
  const OwnJob own;
  own.Write("job.toml", SumJob(*server, "slow"));
  const Outcome cut = RunUntilItReads(own, *server, [&] {
    server->Sql(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> "
        "pg_backend_pid() AND usename = 'reader' AND backend_type = 'client backend'");
  });
  ExpectNothingLeft(own, cut);
  EXPECT_TRUE(Has(cut.err, "terminating connection") || Has(cut.err, "connection")) << cut.err;
  server->Sql("DROP VIEW slow");
}

TEST(SourceFaults, AServerThatIsStoppedInMidRunIsSaid) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  std::string why;
  const auto server = DatabaseServer::StartPostgres(why);  // One of its own, since it is stopped.
  if (server == nullptr) GTEST_SKIP() << why;
  ASSERT_EQ(server->Sql(kSlowView), "");
  const OwnJob own;
  own.Write("job.toml", SumJob(*server, "slow"));
  const Outcome stopped = RunUntilItReads(own, *server, [&] { server->Stop(); });
  ExpectNothingLeft(own, stopped);
  const Outcome down = RunJob(own);
  EXPECT_EQ(down.exit, 5) << down.err;
  EXPECT_TRUE(Has(down.err, "no PostgreSQL server answers")) << down.err;
}

TEST(SourceFaults, AServerThatWasRestartedIsReadByTheNextRun) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  std::string why;
  const auto server = DatabaseServer::StartPostgres(why);
  if (server == nullptr) GTEST_SKIP() << why;
  ASSERT_EQ(server->Sql(kSlowView), "");
  const OwnJob own;
  own.Write("job.toml", SumJob(*server, "slow"));
  const Outcome stopped = RunUntilItReads(own, *server, [&] { server->Stop(); });
  ExpectNothingLeft(own, stopped);
  ASSERT_TRUE(server->StartAgain());
  server->Sql(
      "CREATE OR REPLACE VIEW slow AS SELECT g AS x, false AS waited FROM "
      "generate_series(1, 20000) g");
  fs::remove_all(own / "runs");
  const Outcome next = RunJob(own);
  ASSERT_EQ(next.exit, 0) << next.err;
  EXPECT_EQ(ReadText(fs::directory_iterator(own / "runs")->path() / "s.csv"), "\"s\"\n200010000\n");
}

// Its certificate is its own, of an authority that the client trusts only if it is told to.
TEST(SourceFaults, ACertificateOfAStrangerIsRefused) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  const std::string made = server->Sql(
      "COPY (SELECT 1) TO PROGRAM 'for each in server other; do openssl req -x509 "
      "-newkey rsa:2048 -nodes -days 1 -subj /CN=127.0.0.1 -addext "
      "subjectAltName=IP:127.0.0.1 -keyout $each.key -out $each.crt && chmod 600 "
      "$each.key; done'");
  ASSERT_EQ(made, "");
  server->Sql("ALTER SYSTEM SET ssl = on");
  server->Sql("SELECT pg_reload_conf()");
  server->Sql("CREATE TABLE large AS SELECT g AS x FROM generate_series(1, 9) g");
  const OwnJob own;
  const auto run = [&](const std::string& authority) {
    own.Write("root.crt", server->Sql("SELECT pg_read_file('" + authority + ".crt')"));
    own.Write("job.toml",
              With(SumJob(*server), "/shop\"",
                   "/shop?sslmode=verify-full&sslrootcert=" + (own / "root.crt").string() + "\""));
    return RunJob(own);
  };
  const Outcome trusted = run("server");
  EXPECT_EQ(trusted.exit, 0) << trusted.err;
  fs::remove_all(own / "runs");
  const Outcome stranger = run("other");
  ExpectNothingLeft(own, stranger);
  EXPECT_EQ(stranger.exit, 5) << stranger.err;
  EXPECT_TRUE(Has(stranger.err, "is not reached over TLS as the URL of the connection asks"))
      << stranger.err;
  server->Sql("ALTER SYSTEM RESET ssl");
  server->Sql("SELECT pg_reload_conf()");
  server->Sql("DROP TABLE large");
}

TEST(SourceFaults, APasswordThatHasExpiredIsSaid) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(server->Sql(std::string("CREATE ROLE late_reader LOGIN PASSWORD '") + kCanary +
                        "' VALID UNTIL '2020-01-01'"),
            "");
  const OwnJob own;
  own.Write("job.toml", With(SumJob(*server), "//reader@", "//late_reader@"));
  const Outcome expired = RunJob(own);
  ExpectNothingLeft(own, expired);
  EXPECT_EQ(expired.exit, 5) << expired.err;
  EXPECT_TRUE(Has(expired.err, "refuses the user or the password")) << expired.err;
  server->Sql("DROP ROLE late_reader");
}

TEST(SourceFaults, AColumnThatIsGoneSincePlanIsSaid) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(server->Sql("CREATE TABLE large AS SELECT g AS x, g AS y FROM generate_series(1, 9) g"),
            "");
  const OwnJob own;
  own.Write("job.toml", SumJob(*server));
  const Outcome plan = RunWithPassword(own, kCanary, {"plan", (own / "job.toml").string()});
  EXPECT_EQ(plan.exit, 0) << plan.err;
  server->Sql("ALTER TABLE large RENAME COLUMN x TO z");
  const Outcome run = RunJob(own);
  ExpectNothingLeft(own, run);
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_TRUE(Has(run.err, "\"x\"")) << run.err;
  server->Sql("DROP TABLE large");
}

TEST(SourceFaults, AColumnNameThatIsSqlIsAName) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  const std::string name = "x\"\"; DROP TABLE numbers; --";
  ASSERT_EQ(server->Sql("CREATE TABLE numbers (\"" + name +
                        "\" int, id int); INSERT INTO numbers "
                        "VALUES (7, 1)"),
            "");
  const OwnJob own;
  own.Write("job.toml",
            "[tables]\nn = { postgres = \"shop\", table = \"numbers\" }\n[etl]\nsql = '''SELECT * "
            "FROM n WHERE \"" +
                name +
                "\" > 6'''\n[outputs]\nback = { postgres = \"shop\", table = "
                "\"back\", upsert = ['''x\"; DROP TABLE numbers; --'''] }\n" +
                Shop(*server));
  const Outcome run = RunJob(own);
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(server->Sql("SELECT * FROM back"), "7|1\n");
  EXPECT_EQ(server->Sql("SELECT * FROM numbers"), "7|1\n");
  server->Sql("DROP TABLE numbers; DROP TABLE back; DROP TABLE protium_commits");
}

TEST(SourceFaults, NoProcessOrPageShowsThePasswordWhileARunGoesOn) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(server->Sql(MachinesSql(600)), "");
  const OwnJob own(MachinesTable(2),
                   JobWithLoad("{ postgres = \"shop\", table = \"machines\" }", Shop(*server)));
  Running run({ProtiumCommand(), "run", (own / "job.toml").string(), "--runs-dir",
               (own / "runs").string(), "--set", "train.epochs=40"},
              own.path(), {{"SHOP_PASSWORD", kCanary}});
  int workers = 0;
  while (run.alive()) {
    EXPECT_FALSE(Has(ReadText("/proc/" + std::to_string(run.pid()) + "/cmdline"), kCanary));
    for (const pid_t worker : run.Descendants()) {
      EXPECT_FALSE(Has(ReadText("/proc/" + std::to_string(worker) + "/cmdline"), kCanary));
      ++workers;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const Outcome done = run.Wait();
  ASSERT_EQ(done.exit, 0) << done.err;
  EXPECT_GT(workers, 0);
  const std::string folder = fs::path(own.Model()).parent_path().string();
  for (const auto& words : {std::vector<std::string>{"inspect", folder, "--json"},
                            {"logs", folder},
                            {"runs", "export", folder, "--output", own / "exported.html"},
                            {"plan", own / "job.toml", "--json", "--sql"}}) {
    const Outcome outcome = RunWithPassword(own, kCanary, words);
    EXPECT_FALSE(Has(outcome.out + outcome.err, kCanary)) << words[0];
  }
  EXPECT_FALSE(AnyFileHas(own.path(), kCanary));
  server->Sql("DROP TABLE machines");
}

}  // namespace protium::whole
