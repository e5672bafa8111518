// SPDX-License-Identifier: Apache-2.0
// Tables where they lie, read and written by jobs on Spark: the same jobs as on the embedded engine
// give the same. The tests start a Spark server of their own, of the release in
// PROTIUM_TEST_SPARK_VERSION and with the jars of scripts/jars.lock; to use one that runs, its
// address goes into PROTIUM_TEST_SPARK_JARS.
#include <arrow/api.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>

#include "column/stream.h"
#include "whole/database_jobs.h"
#include "whole/spark_with_jars.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

constexpr const char* kIntoDelta = "[outputs]\nlate = { delta = \"lake/late\" }\n[train]";

Source Of(SourceKind kind, const DatabaseServer& server, const std::string& table) {
  return {.kind = kind, .connection = {server.url(), {.env = "SHOP_PASSWORD"}}, .table = table};
}

}  // namespace

TEST_F(SparkSources, APostgresTableTrainsTheSameModelAndNoSecretIsLeft) {
  std::string why;
  DatabaseServer* const server = Postgres(why);
  if (server == nullptr) GTEST_SKIP() << why;
  ASSERT_EQ(server->Sql(MachinesSql(600)), "");
  const OwnJob csv;
  ASSERT_EQ(csv.Run().exit, 0);
  const OwnJob own(
      MachinesTable(2),
      JobWithLoad("{ postgres = \"shop\", table = \"public.machines\" }", Shop(*server)));
  const Outcome plan = Protium(own, {"plan", own / "job.toml", "--engine", spark_->address()});
  ASSERT_EQ(plan.exit, 0) << plan.err;
  const Outcome run = RunJob(own);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(csv));
  ExpectNoSecret(own, plan);
  ExpectNoSecret(own, run);
  server->Sql("DROP TABLE machines");
}

TEST_F(SparkSources, AMariaDbQueryTrainsTheSameModelAndNoSecretIsLeft) {
  std::string why;
  DatabaseServer* const server = MariaDb(why);
  if (server == nullptr) GTEST_SKIP() << why;
  ASSERT_EQ(server->Sql(MachinesSql(600)), "");
  const OwnJob csv;
  ASSERT_EQ(csv.Run().exit, 0);
  const OwnJob own(
      MachinesTable(2),
      JobWithLoad(
          "{ mysql = \"shop\", query = \"SELECT id, kind, age, load1, hours FROM machines;\" }",
          Shop(*server)));
  const Outcome run = RunJob(own);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(csv));
  ExpectNoSecret(own, run);
  server->Sql("DROP TABLE machines");
}

TEST_F(SparkSources, ASqliteTableTrainsTheSameModel) {
  const OwnJob csv;
  ASSERT_EQ(csv.Run().exit, 0);
  const OwnJob own(MachinesTable(2), JobWithLoad("{ sqlite = \"shop.db\", table = \"machines\" }"));
  MakeSqlite(own / "shop.db", MachinesSql(600));
  const Outcome run = RunJob(own);
  ASSERT_EQ(run.exit, 0) << run.err;
  EXPECT_EQ(WeightsOf(own), WeightsOf(csv));
}

TEST_F(SparkSources, TypesOfSqliteAreTheSameOnBothEngines) {
  NEED_EXTENSION("sqlite_scanner", "sqlite");
  const OwnJob own;
  MakeSqlite(own / "shop.db", R"(
    CREATE TABLE kinds (id integer, a bigint, b boolean, c real, d decimal(10,2), e date,
      f timestamp, g text, h varchar(10), i blob, j, k datetime);
    INSERT INTO kinds VALUES (1, 9007199254740993, 1, 0.1, 2.5, '1999-12-31',
      '2026-01-02 03:04:05.123456', 'über', 'b', x'00ff', x'01', '2026-01-02 03:04:05');
    INSERT INTO kinds VALUES (2, -1, 0, 3, 0, '1600-03-01', '1969-12-31 23:59:59', '', '', x'', x'',
      '2026-01-02');
    INSERT INTO kinds (id) VALUES (3);)");
  ExpectSameRows({.kind = SourceKind::kSqlite, .file = own / "shop.db", .table = "kinds"});
}

// All types of docs/sources.md that both engines read.
TEST_F(SparkSources, TypesOfPostgresAreTheSameOnBothEngines) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  std::string why;
  DatabaseServer* const server = Postgres(why);
  if (server == nullptr) GTEST_SKIP() << why;
  ASSERT_EQ(server->Sql(R"(
    CREATE TYPE mood AS ENUM ('sad', 'ok');
    CREATE DOMAIN price AS numeric(12,2);
    CREATE TABLE kinds (id integer PRIMARY KEY, a smallint, b bigint, c oid, d real,
      e double precision, f numeric, g numeric(38,10), h boolean, i date, j bytea, k timestamp,
      l timestamptz, m text, n varchar(10), o char(5), p mood, q uuid, r json, s jsonb, t xml,
      u inet, v int4range, w bit(4), x varbit, y money, z time, aa timetz, ab interval,
      ac integer[], ad text[], ae float8[], af numeric[], ag price, "A b" text);
    INSERT INTO kinds VALUES (1, -3, 9007199254740993, 4000000000, 1.5, 0.1, 12.5, -1.0000000001,
      true, '1999-12-31', '\x00ff41', '2026-01-02 03:04:05.123456', '2026-07-02 03:04:05+02',
      'über "q" \', 'abc', 'ab', 'ok', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": [1]}',
      '{"b":  2}', '<a>1</a>', '10.0.0.1', '[1,5)', B'1010', B'110', 12.34, '23:59:59.5',
      '12:00:00+02', '1 year 2 mons 3 days 04:05:06.5', '{1,NULL,3}', '{a,"b c"}', '{0.5}',
      '{1.25}', 3.50, 'x'), (2, 3, -1, 0, 'NaN', 'Infinity', 0, 0, false, '1600-03-01', '',
      '1969-12-31 23:59:59.999999', '1969-12-31 23:59:59.999999+00', '', '', '', 'sad',
      'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12', 'null', '[]', '<b/>', '::1/64', 'empty', B'0000',
      B'', -0.01, '00:00:00', '00:00:00-05:30', '-1 days', '{}', '{}', '{}', '{}', 0, '');
    INSERT INTO kinds (id, k) VALUES (3, '2026-03-08 02:30:00.5');)"),
            "");
  ExpectSameRows(Of(SourceKind::kPostgres, *server, "public.kinds"));
  Source query = Of(SourceKind::kPostgres, *server, "");
  query.query = "SELECT * FROM kinds;";
  ExpectSameRows(query);
  server->Sql("DROP TABLE kinds; DROP DOMAIN price; DROP TYPE mood");
}

TEST_F(SparkSources, TypesOfMariaDbAreTheSameOnBothEngines) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  std::string why;
  DatabaseServer* const server = MariaDb(why);
  if (server == nullptr) GTEST_SKIP() << why;
  ASSERT_EQ(server->Sql(R"(
    CREATE TABLE kinds (id integer PRIMARY KEY, a tinyint, b tinyint(1), c smallint, d mediumint,
      e bigint, f tinyint unsigned, g smallint unsigned, h int unsigned, i bigint unsigned,
      j decimal(38,10), k float, l double, m date, n datetime(6), o timestamp NULL, p time(6),
      q year, r char(5), s varchar(20), t text, u enum('a','b'), v set('x','y'), w json,
      x bit(12), y blob, z varbinary(4), aa uuid);
    INSERT INTO kinds VALUES (1, -3, 1, -300, 70000, 9007199254740993, 200, 60000, 4000000000,
      9223372036854775807, -1.0000000001, 1.5, 0.1, '1999-12-31', '2026-01-02 03:04:05.123456',
      '2026-07-02 03:04:05', '23:59:59.5', 1999, 'ab', 'über', 'text', 'b', 'x,y', '{"a": 1}',
      b'101010101010', 'blob', x'00ff', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'),
      (2, 3, 0, 3, 3, -1, 0, 0, 0, 0, 0, 0, -0.5, '1600-03-01', '1969-12-31 23:59:59.999999', NULL,
      '00:00:00', 2026, '', '', '', 'a', '', '[]', b'0', '', '',
      'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12');
    INSERT INTO kinds (id) VALUES (3);)"),
            "");
  ExpectSameRows(Of(SourceKind::kMysql, *server, "kinds"));
  Source query = Of(SourceKind::kMysql, *server, "");
  query.query = "SELECT id, a, c, f, i, j, k, n, p, r, x, y FROM kinds";
  ExpectSameRows(query);
  server->Sql("DROP TABLE kinds");
}

TEST_F(SparkSources, AResumedRunSeesWhatChangedInItsTable) {
  std::string why;
  DatabaseServer* const server = Postgres(why);
  if (server == nullptr) GTEST_SKIP() << why;
  ASSERT_EQ(server->Sql(MachinesSql(200)), "");
  const OwnJob own(MachinesTable(2),
                   JobWithLoad("{ postgres = \"shop\", table = \"machines\" }", Shop(*server)));
  const Outcome first = RunJob(own);
  ASSERT_EQ(first.exit, 0) << first.err;
  const std::string run = fs::path(own.Model()).parent_path().string();
  EXPECT_TRUE(Has(ReadText(run + "/sources.json"), "\"rows\": 200"));
  const auto resume = [&](const std::string& epochs) {
    return Protium(own, {"resume", run, "--set", "train.epochs=" + epochs});
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
  server->Sql("DROP TABLE machines");
}

TEST_F(SparkSources, OutputsGoBackIntoPostgresOnce) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  std::string why;
  DatabaseServer* const server = Postgres(why);
  if (server == nullptr) GTEST_SKIP() << why;
  ASSERT_EQ(server->Sql(MachinesSql(200)), "");
  const OwnJob own(MachinesTable(2),
                   JobWithLoad("{ postgres = \"shop\", table = \"machines\" }",
                               "[outputs]\nlate = { postgres = \"shop\", table = \"late\", mode = "
                               "\"append\", columns = [\"id\", \"prediction\"] }\n" +
                                   Shop(*server)));
  const Outcome first = RunJob(own);
  ASSERT_EQ(first.exit, 0) << first.err;
  const std::string rows = server->Sql("SELECT count(DISTINCT id) FROM late");
  EXPECT_NE(rows, "0\n");
  EXPECT_EQ(server->Sql("SELECT count(*) FROM late"), rows);
  const std::string run = fs::path(own.Model()).parent_path().string();
  const Outcome again = Protium(own, {"resume", run, "--set", "train.epochs=3"});
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(server->Sql("SELECT count(*) FROM late"), rows);
  ExpectNoSecret(own, first);
  server->Sql("DROP TABLE machines; DROP TABLE late; DROP TABLE protium_commits");
}

TEST_F(SparkSources, AServerThatRefusesOrIsDownIsSaid) {
  std::string why;
  DatabaseServer* const server = Postgres(why);
  if (server == nullptr) GTEST_SKIP() << why;
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
  ASSERT_EQ(server->Sql("CREATE TABLE places (id integer, spot point)"), "");
  const auto engine = OpenEngine({.engine = spark_->address()});
  ASSERT_TRUE(engine.ok()) << engine.status().ToString();
  const Source source = Of(SourceKind::kPostgres, *server, "places");
  const Status refused = (*engine)->Analyze(MakePlan(NamedTable{"places", source}), {}).status();
  EXPECT_TRUE(Has(refused.ToString(), "column \"spot\" has a type")) << refused.ToString();
  server->Sql("DROP TABLE places");
}

TEST_F(SparkSources, ALargeTableIsReadInPartsAndFiltersReachTheServer) {
  std::string why;
  DatabaseServer* const server = Postgres(why);
  if (server == nullptr) GTEST_SKIP() << why;
  ASSERT_EQ(
      server->Sql("CREATE TABLE large AS SELECT g AS id, g % 7 AS kind, 'k' || g % 3 AS name, "
                  "repeat('a', 200) AS unread FROM generate_series(1, 200000) g; "
                  "ALTER TABLE large ADD PRIMARY KEY (id); ANALYZE large"),
      "");
  const auto engine = OpenEngine({.engine = spark_->address()});
  ASSERT_TRUE(engine.ok()) << engine.status().ToString();
  const Source source = Of(SourceKind::kPostgres, *server, "large");
  const Plan plan = MakePlan(
      Sql{"SELECT count(*) AS n, sum(kind) AS s FROM t WHERE kind > 4 AND name >= 'k1'", {"t"}},
      {MakePlan(NamedTable{"large", source})});
  auto stream = (*engine)->Execute(plan, {});
  ASSERT_TRUE(stream.ok()) << stream.status().ToString();
  const auto batches = Collect(**stream).ValueOrDie();
  const auto table = arrow::Table::FromRecordBatches(batches).ValueOrDie();
  const std::string own = server->Sql(
      "SELECT count(*) || ' ' || sum(kind) FROM large WHERE kind > 4 AND name >= 'k1' COLLATE "
      "\"C\"");
  EXPECT_EQ(table->column(0)->GetScalar(0).ValueOrDie()->ToString() + " " +
                table->column(1)->GetScalar(0).ValueOrDie()->ToString() + "\n",
            own);
  size_t reads = 0;
  std::istringstream lines(server->Log());
  for (std::string line; std::getline(lines, line);) {
    if (!Has(line, "\"kind\" > 4") || Has(line, "execute fetch")) continue;
    EXPECT_TRUE(Has(line, "SELECT \"kind\" FROM")) << line;
    EXPECT_TRUE(Has(line, "\"name\" >= 'k1'")) << line;
    ++reads;
  }
  EXPECT_EQ(reads, 4u);
  server->Sql("DROP TABLE large");
}

// The first run makes the table; resumed runs append nothing twice, others do.
TEST_F(SparkSources, ADeltaTableIsWrittenOnceAndReadAtItsVersion) {
  const OwnJob own(MachinesTable(400),
                   With(kMachinesJob, "[train]",
                        "[outputs]\nlate = { delta = \"lake/late\", mode = \"append\", columns = "
                        "[\"id\", \"kind\", \"prediction\"] }\nnewest = { delta = "
                        "\"lake/newest\", columns = [\"id\"] }\n[train]"));
  const Outcome first = RunJob(own);
  if (Has(first.err, "has no reader of Delta tables")) {
    EXPECT_EQ(first.exit, 4) << first.err;
    EXPECT_TRUE(Has(first.err, "spark.jars.packages=io.delta:delta-spark")) << first.err;
    GTEST_SKIP() << "this server has no Delta";
  }
  ASSERT_EQ(first.exit, 0) << first.err;
  const auto rows = [&](std::optional<int64_t> version, const char* table) -> int64_t {
    const Source source{
        .kind = SourceKind::kDelta, .file = own / "lake" / table, .version = version};
    const auto read = RowsOn(spark_->address(), source);
    return read == nullptr ? -1 : read->num_rows();
  };
  const int64_t scored = rows(std::nullopt, "late");
  EXPECT_GT(scored, 40);
  EXPECT_EQ(rows(std::nullopt, "newest"), scored);
  const std::string run = fs::path(own.Model()).parent_path().string();
  const Outcome again = Protium(own, {"resume", run, "--set", "train.epochs=3"});
  ASSERT_EQ(again.exit, 0) << again.err;
  EXPECT_EQ(rows(std::nullopt, "late"), scored);
  EXPECT_EQ(rows(std::nullopt, "newest"), scored);
  const Outcome other = RunJob(own);
  ASSERT_EQ(other.exit, 0) << other.err;
  EXPECT_EQ(rows(std::nullopt, "late"), 2 * scored);
  EXPECT_EQ(rows(0, "late"), scored);
  if (!HasExtension("delta")) return;
  ExpectSameRows({.kind = SourceKind::kDelta, .file = own / "lake/late", .version = 0});

  // A run reads the version that it found first, and so does its resumption.
  const OwnJob reader(MachinesTable(2), JobOver("{ delta = \"lake/late\" }"));
  fs::create_directory(reader / "lake");
  fs::copy(own / "lake/late", reader / "lake/late", fs::copy_options::recursive);
  reader.Write("job.toml",
               "[tables]\nlate = { delta = \"lake/late\" }\n[etl]\nsql = \"SELECT "
               "count(*) AS n FROM late\"\n[outputs]\nn = \"n.csv\"\n");
  const Outcome read = RunJob(reader);
  ASSERT_EQ(read.exit, 0) << read.err;
  bool noted = false;
  for (const auto& each : fs::directory_iterator(reader / "runs")) {
    noted = noted || Has(ReadText(each.path() / "sources.json"), "version 1");
  }
  EXPECT_TRUE(noted);
}

// On a server as Spark ships it.
TEST(SparkSourcesWithoutJars, WhatTheServerLacksIsToldBeforeAnythingStarts) {
  const char* const address = std::getenv("PROTIUM_TEST_SPARK");
  if (address == nullptr) GTEST_SKIP() << "no Spark server: PROTIUM_TEST_SPARK is not set";
  const std::pair<const char*, const char*> kCases[] = {
      {"{ postgres = \"postgresql://me@127.0.0.1:1/shop\", table = \"t\" }",
       "spark.jars.packages=org.postgresql:postgresql"},
      {"{ mysql = \"mysql://me@127.0.0.1:1/shop\", table = \"t\" }",
       "spark.jars.packages=org.mariadb.jdbc:mariadb-java-client"},
      {"{ sqlite = \"machines.csv\", table = \"t\" }",
       "spark.jars.packages=org.xerial:sqlite-jdbc"},
      {"{ delta = \"lake\" }", "spark.jars.packages=io.delta:delta-spark"}};
  for (const auto& [table, line] : kCases) {
    const OwnJob own(MachinesTable(2), JobOver(table));
    const Outcome run = own.Run({"--engine", address});
    EXPECT_EQ(run.exit, 4) << run.err;
    EXPECT_TRUE(Has(run.err, "the Spark server has no ")) << run.err;
    EXPECT_TRUE(Has(run.err, line)) << run.err;
  }
  const OwnJob own(MachinesTable(40), With(kMachinesJob, "[train]", kIntoDelta));
  const Outcome run = own.Run({"--engine", address});
  EXPECT_EQ(run.exit, 4) << run.err;
  EXPECT_TRUE(Has(run.err, "nothing was started")) << run.err;
}

}  // namespace protium::whole
