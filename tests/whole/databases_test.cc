// SPDX-License-Identifier: Apache-2.0
// Tables where they lie: jobs over SQLite, PostgreSQL, MariaDB and others, with real servers.
#include <gtest/gtest.h>

#include <regex>

#include "whole/database_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;

TEST(Sources, ASqliteTableTrainsTheSameModelAsItsCsv) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  const OwnJob csv;
  ASSERT_EQ(csv.Run().exit, 0);
  const OwnJob own(MachinesTable(2), JobWithLoad("{ sqlite = \"shop.db\", table = \"machines\" }"));
  MakeSqlite(own / "shop.db", MachinesSql(600));
  const Outcome run = own.Run();
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(csv));
  fs::create_directory(own / "new");
  fs::copy(own / "shop.db", own / "new/shop.db");
  const Outcome scored = own.Protium(
      {"predict", "--model", own.Model(), "--data", own / "new", "--output", own / "scored.csv"});
  ASSERT_EQ(scored.exit, 0) << scored.err;
  EXPECT_TRUE(own.Text("scored.csv").starts_with("\"id\",\"kind\",\"age\",\"load\",\"hours\","))
      << scored.out;
}

TEST(Sources, AMissingTableOrFileIsNamed) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  const OwnJob own(MachinesTable(2), JobOver("{ sqlite = \"shop.db\", table = \"machine\" }"));
  Outcome run = own.Run();
  EXPECT_EQ(run.exit, 3) << run.err;
  EXPECT_TRUE(Has(run.err, "shop.db")) << run.err;
  MakeSqlite(own / "shop.db", MachinesSql(3));
  run = own.Run();
  EXPECT_EQ(run.exit, 3) << run.err;
  EXPECT_TRUE(Has(run.err, "there is no table \"machine\"")) << run.err;
  own.Write("shop.db", "no database at all, just words, and quite a lot of them");
  run = own.Run();
  EXPECT_EQ(run.exit, 3) << run.err;
}

TEST(Sources, ASheetOfAnExcelFileIsATable) {
  NEED_EXTENSION("excel", "excel");
  const OwnJob own(MachinesTable(2), JobOver("{ excel = \"none.xlsx\", sheet = \"2026\" }"));
  const Outcome run = own.Run();
  EXPECT_EQ(run.exit, 3) << run.err;
  EXPECT_TRUE(Has(run.err, "none.xlsx")) << run.err;
}

TEST(Sources, KeysOfOtherKindsOfTablesAreRefused) {
  for (const char* table : {"{ csv = \"machines.csv\", version = 3 }",
                            "{ sqlite = \"shop.db\", table = \"t\", query = \"SELECT 1\" }",
                            "{ delta = \"lake\", sheet = \"1\" }"}) {
    const OwnJob own(MachinesTable(2), JobOver(table));
    const Outcome run = own.Run();
    EXPECT_EQ(run.exit, 2) << run.err;
    EXPECT_TRUE(Has(run.err, "belongs to other kinds of tables")) << run.err;
    EXPECT_TRUE(Has(run.err, "job.toml:")) << run.err;
  }
  const OwnJob own(MachinesTable(2), JobOver("{ postgres = \"shop\", table = \"t\" }"));
  const Outcome run = own.Run();
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_TRUE(Has(run.err, "there is no connection \"shop\"")) << run.err;
}

TEST(Sources, APasswordInAUrlIsRefusedAndNotRepeated) {
  const OwnJob own(MachinesTable(2),
                   JobOver("{ postgres = \"shop\", table = \"machines\" }",
                           "[connections.shop]\nurl = \"postgresql://me:canary-in-url@h/shop\"\n"));
  const Outcome run = own.Run();
  EXPECT_EQ(run.exit, 2) << run.err;
  EXPECT_TRUE(Has(run.err, "holds a password")) << run.err;
  EXPECT_FALSE(Has(run.err, "canary-in-url")) << run.err;
}

TEST(Sources, APostgresTableTrainsTheSameModelAndNoSecretIsLeft) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(server->Sql(MachinesSql(600)), "");
  const OwnJob csv;
  ASSERT_EQ(csv.Run().exit, 0);
  const OwnJob own(
      MachinesTable(2),
      JobWithLoad("{ postgres = \"shop\", table = \"public.machines\" }", Shop(*server)));
  const Outcome run = RunJob(own);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(csv));
  EXPECT_FALSE(Has(run.out + run.err, kCanary));
  EXPECT_FALSE(AnyFileHas(own.path(), kCanary));
  server->Sql("DROP TABLE machines");
}

TEST(Sources, AResumedRunSeesWhatChangedInItsTable) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(server->Sql(MachinesSql(200)), "");
  const OwnJob own(MachinesTable(2),
                   JobWithLoad("{ postgres = \"shop\", table = \"machines\" }", Shop(*server)));
  ASSERT_EQ(RunJob(own).exit, 0);
  const std::string run = fs::path(own.Model()).parent_path().string();
  const auto resume = [&](const std::string& epochs) {
    return RunWithPassword(own, kCanary, {"resume", run, "--set", "train.epochs=" + epochs});
  };
  server->Sql("INSERT INTO machines VALUES (1000, 'mill', 1, 2, 3)");
  const Outcome more = resume("3");
  EXPECT_EQ(more.exit, 3) << more.err;
  EXPECT_TRUE(Has(more.err, "it had 200 rows, now it has 201")) << more.err;
  server->Sql("DELETE FROM machines WHERE id = 1000; UPDATE machines SET age = 99 WHERE id = 7");
  const Outcome other = resume("3");
  EXPECT_EQ(other.exit, 3) << other.err;
  EXPECT_TRUE(Has(other.err, "other values")) << other.err;
  server->Sql("UPDATE machines SET age = 3 WHERE id = 7");
  const Outcome same = resume("3");
  EXPECT_EQ(same.exit, 0) << same.err;
  // As the sums of earlier releases were.
  const std::string noted = ReadText(fs::path(run) / "sources.json");
  std::ofstream(fs::path(run) / "sources.json")
      << std::regex_replace(noted, std::regex("hash_record -?[0-9]+"), "12:34");
  const Outcome older = resume("4");
  EXPECT_EQ(older.exit, 0) << older.err;
  EXPECT_TRUE(Has(older.err, "only the number of rows is compared")) << older.err;
  server->Sql("ALTER TABLE machines ADD COLUMN colour text");
  const Outcome wider = resume("5");
  EXPECT_EQ(wider.exit, 3) << wider.err;
  EXPECT_TRUE(Has(wider.err, "its columns were")) << wider.err;
  server->Sql("DROP TABLE machines");
}

TEST(Sources, ATableIsWrittenByAUserWhoMayNotMakeTables) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(
      server->Sql("CREATE TABLE few AS SELECT g AS id FROM generate_series(1, 3) g; CREATE ROLE "
                  "scorer LOGIN PASSWORD '" +
                  std::string(kCanary) + "'; GRANT SELECT ON few TO scorer"),
      "");
  const OwnJob own;
  own.Write(
      "job.toml",
      "[tables]\nfew = { postgres = \"shop\", table = \"few\" }\n[etl]\nsql = \"SELECT id, id "
      "* 2 AS twice FROM few\"\n[outputs]\nback = { postgres = \"shop\", table = \"scores\", "
      "mode = \"append\" }\n" +
          With(Shop(*server), "//reader@", "//scorer@"));
  const Outcome denied = RunJob(own);
  EXPECT_EQ(denied.exit, 5) << denied.err;
  EXPECT_TRUE(Has(denied.err, "why: permission denied for schema public\n")) << denied.err;
  EXPECT_TRUE(Has(denied.err, "grant the user the right to make tables")) << denied.err;
  ASSERT_EQ(
      server->Sql("CREATE TABLE scores (id int, twice int); CREATE TABLE protium_commits (run "
                  "text, output text, row_count bigint, committed timestamp); GRANT SELECT, "
                  "INSERT, UPDATE, DELETE ON scores, protium_commits TO scorer"),
      "");
  fs::remove_all(own / "runs");
  const Outcome run = RunJob(own);
  EXPECT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(server->Sql("SELECT sum(twice) FROM scores"), "12\n");
  server->Sql("DROP TABLE few; DROP TABLE scores; DROP TABLE protium_commits; DROP ROLE scorer");
}

// Writes the same run's output twice, as a kill after the commit would make it.
void ExpectStoredOnce(const DatabaseServer& server, const std::string& kind) {
  ASSERT_EQ(server.Sql(MachinesSql(200)), "");
  const std::string job = JobWithLoad(
      "{ " + kind + " = \"shop\", table = \"machines\" }",
      "[outputs]\nappended = { " + kind +
          " = \"shop\", table = \"late\", mode = \"append\", columns = [\"id\", "
          "\"prediction\"] }\nreplaced = { " +
          kind + " = \"shop\", table = \"newest\", columns = [\"id\"] }\n" + Shop(server));
  const OwnJob own(MachinesTable(2), job);
  const Outcome first = RunJob(own);
  ASSERT_EQ(first.exit, 0) << first.err;
  const std::string rows = server.Sql("SELECT count(*) FROM late");
  EXPECT_NE(rows, "0\n");
  EXPECT_EQ(server.Sql("SELECT count(DISTINCT id) FROM late"), rows);
  EXPECT_EQ(server.Sql("SELECT count(*) FROM newest"), rows);
  const std::string run = fs::path(own.Model()).parent_path().string();
  const Outcome again = RunWithPassword(own, kCanary, {"resume", run, "--set", "train.epochs=3"});
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(server.Sql("SELECT count(*) FROM late"), rows);
  EXPECT_EQ(server.Sql("SELECT count(*) FROM newest"), rows);
  EXPECT_EQ(server.Sql("SELECT count(*) FROM protium_commits"), "2\n");
  ASSERT_EQ(RunJob(own).exit, 0);
  EXPECT_EQ(server.Sql("SELECT count(*) FROM late WHERE id IS NOT NULL"),
            fmt::format("{}\n", 2 * std::stoi(rows)));
  EXPECT_EQ(server.Sql("SELECT count(*) FROM newest"), rows);
  server.Sql("DROP TABLE machines; DROP TABLE late; DROP TABLE newest; DROP TABLE protium_commits");
}

TEST(Sources, OutputsGoBackIntoPostgresOnce) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ExpectStoredOnce(*server, "postgres");
}

TEST(Sources, OutputsGoBackIntoMariaDbOnce) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  NEED_SERVER(MariaDb);
  ExpectStoredOnce(*server, "mysql");
}

TEST(Sources, AServerThatRefusesOrIsDownIsSaid) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  const std::string table = "{ postgres = \"shop\", table = \"public.none\" }";
  const OwnJob own(MachinesTable(2), JobOver(table, Shop(*server)));
  const Outcome wrong = RunJob(own, "canary-wrong");
  EXPECT_EQ(wrong.exit, 5) << wrong.err;
  EXPECT_TRUE(Has(wrong.err, "refuses the user or the password")) << wrong.err;
  EXPECT_TRUE(Has(wrong.err, "SHOP_PASSWORD")) << wrong.err;
  EXPECT_FALSE(Has(wrong.err, "canary-wrong")) << wrong.err;
  const Outcome none = RunJob(own);
  EXPECT_EQ(none.exit, 3) << none.err;
  EXPECT_TRUE(Has(none.err, "there is no table \"public.none\"")) << none.err;
  own.Write("job.toml",
            JobOver(table, "[connections.shop]\nurl = \"postgresql://me@127.0.0.1:1/shop\"\n"));
  const Outcome down = RunJob(own);
  EXPECT_EQ(down.exit, 5) << down.err;
  EXPECT_TRUE(Has(down.err, "no PostgreSQL server answers")) << down.err;
}

TEST(Sources, ColumnsAndFiltersReachTheServerInOneSnapshot) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(
      server->Sql("CREATE TABLE large AS SELECT g AS id, g % 7 AS kind, g * 1.5::float8 AS x, "
                  "repeat('a', 200) AS unread FROM generate_series(1, 200000) g; "
                  "ANALYZE large"),
      "");
  const OwnJob own(MachinesTable(2),
                   "[tables]\nlarge = { postgres = \"shop\", table = \"large\" }\n[etl]\n"
                   "sql = \"SELECT kind, sum(x) AS s FROM large WHERE id > 100000 GROUP BY kind\"\n"
                   "[outputs]\ns = \"s.csv\"\n" +
                       Shop(*server));
  const Outcome plan = RunWithPassword(own, kCanary, {"plan", (own / "job.toml").string()});
  ASSERT_EQ(plan.exit, 0) << plan.err;
  EXPECT_TRUE(Has(plan.out, "PostgreSQL table large of postgresql://reader@127.0.0.1")) << plan.out;
  EXPECT_TRUE(Has(plan.out, "about 200,000 rows, ")) << plan.out;
  EXPECT_TRUE(Has(plan.out, "where: id>100000")) << plan.out;
  const Outcome run = RunJob(own);
  ASSERT_EQ(run.exit, 0) << run.err;
  const std::string log = server->Log();
  // The notes of what was read are of all columns; the query is only of those that it names.
  const size_t filter = log.find("\"id\" > '100000'");
  ASSERT_NE(filter, log.npos) << log.substr(log.size() - 2000);
  const size_t line = log.rfind('\n', filter) + 1;
  EXPECT_FALSE(Has(log.substr(line, filter - line), "unread")) << log.substr(line, 300);
  EXPECT_TRUE(Has(log, "SET TRANSACTION SNAPSHOT"));
  EXPECT_TRUE(Has(log, "READ ONLY"));
  server->Sql("DROP TABLE large");
}

TEST(Sources, MariaDbTextsAreComparedAndSortedByTheirBytes) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  NEED_SERVER(MariaDb);
  ASSERT_EQ(server->Sql("CREATE TABLE words (id bigint, s varchar(9)); INSERT INTO words VALUES "
                        "(1, 'new'), (2, 'NEW'), (3, 'new '), (4, 'a'), (5, 'B')"),
            "");
  const OwnJob own;
  const auto rows = [&](const std::string& query) {
    const Outcome outcome = RunWithPassword(own, kCanary,
                                            {"sql", query, server->url(), "--table", "words",
                                             "--password-env", "SHOP_PASSWORD", "--json"});
    return outcome.exit == 0 ? outcome.json["rows"].dump() : outcome.err;
  };
  EXPECT_EQ(rows("SELECT id FROM words WHERE s = 'new'"), "[[1]]");
  EXPECT_EQ(rows("SELECT s FROM words WHERE id > 3 ORDER BY s LIMIT 1"), "[[\"B\"]]");
  EXPECT_EQ(rows("SELECT sum(id) AS n, count(*) AS m FROM words"), "[[15,5]]");
  server->Sql("DROP TABLE words");
}

TEST(Sources, AMariaDbTableTrainsTheSameModel) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  NEED_SERVER(MariaDb);
  ASSERT_EQ(server->Sql(MachinesSql(600)), "");
  const OwnJob csv;
  ASSERT_EQ(csv.Run().exit, 0);
  const OwnJob own(
      MachinesTable(2),
      JobWithLoad(
          "{ mysql = \"shop\", query = \"SELECT id, kind, age, load1, hours FROM machines\" }",
          Shop(*server)));
  const Outcome run = RunJob(own);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(csv));
  EXPECT_FALSE(Has(run.out + run.err, kCanary));
  EXPECT_FALSE(AnyFileHas(own.path(), kCanary));
  const Outcome wrong = RunJob(own, "canary-wrong");
  EXPECT_EQ(wrong.exit, 5) << wrong.err;
  EXPECT_FALSE(Has(wrong.err, "canary-wrong")) << wrong.err;
  server->Sql("DROP TABLE machines");
}

}  // namespace protium::whole
