// SPDX-License-Identifier: Apache-2.0
// The sum of a table's rows that a run notes: the same for the same rows, another for others.
#include <gtest/gtest.h>

#include <map>
#include <regex>

#include "whole/database_jobs.h"

namespace protium::whole {

namespace fs = std::filesystem;

namespace {

constexpr const char* kTable = "table = \"sums\"";

// Runs a job over the rows and returns the run's folder; what went wrong if it fails.
std::string RunOver(const OwnJob& own, const DatabaseServer& server, const std::string& kind,
                    const std::string& rows = kTable) {
  own.Write("job.toml", "name = \"sum\"\n[tables]\nt = { " + kind + " = \"shop\", " + rows +
                            " }\n[etl]\nsql = \"SELECT count(*) AS n FROM t\"\n[outputs]\nn = "
                            "\"n.csv\"\n" +
                            Shop(server));
  fs::remove_all(own / "runs");
  const Outcome run = RunJob(own);
  if (run.exit != 0) return run.err;
  EXPECT_FALSE(Has(run.err, "not their sum")) << run.err;
  return fs::directory_iterator(own / "runs")->path();
}

// What the run noted.
std::string SumIn(const std::string& run) {
  if (!fs::exists(run + "/sources.json")) return run;
  const Json noted = *ParseJson(ReadText(run + "/sources.json"));
  return noted["sources"][0]["sum"];
}

// Each statement makes other rows, whose sum is none of those before.
void ExpectOtherSums(const DatabaseServer& server, const std::string& kind,
                     const std::vector<std::string>& statements) {
  const OwnJob own;
  std::map<std::string, std::string> sums;
  sums[SumIn(RunOver(own, server, kind))] = "as it was made";
  for (const std::string& statement : statements) {
    ASSERT_EQ(server.Sql(statement), "") << statement;
    const std::string sum = SumIn(RunOver(own, server, kind));
    const auto [before, fresh] = sums.emplace(sum, statement);
    EXPECT_TRUE(fresh) << sum << " is the sum after both\n" << before->second << "\n" << statement;
  }
}

// Gives the run a sum as earlier releases took it.
void MakeOlder(const std::string& run) {
  const std::string noted = ReadText(run + "/sources.json");
  std::ofstream(run + "/sources.json")
      << std::regex_replace(noted, std::regex("hash_record -?[0-9]+"), "12:34");
}

}  // namespace

TEST(SourceSums, OfPostgresChangeWithEveryValueOfEveryType) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  ASSERT_EQ(
      server->Sql("CREATE TYPE size AS ENUM ('S', 'L'); CREATE TABLE sums AS SELECT g AS i, "
                  "NULL::float8 AS f, g::float4 AS single, g::numeric(38,10) AS d, 'a'::text "
                  "AS t, NULL::text AS u, '{\"k\": 1}'::json AS j, ARRAY[g, 2] AS l, "
                  "gen_random_uuid() AS uid, 'S'::size AS e, '1.5'::money AS m, B'101' AS "
                  "bits, '\\x00ff'::bytea AS raw, interval '1 day' AS span, point(1, 2) AS p, "
                  "now() AS moment, g AS \"x\"\"; DROP TABLE sums; --\" FROM "
                  "generate_series(1, 3) g"),
      "");
  ExpectOtherSums(
      *server, "postgres",
      {"UPDATE sums SET f = 0 WHERE i = 1", "UPDATE sums SET u = t, t = NULL WHERE i = 2",
       "UPDATE sums SET i = 4 - i", "UPDATE sums SET d = d + 0.0000000001 WHERE i = 3",
       "UPDATE sums SET j = '{\"k\": 2}', e = 'L' WHERE i = 1", "UPDATE sums SET l = l || 3",
       "UPDATE sums SET \"x\"\"; DROP TABLE sums; --\" = 9"});
  server->Sql("DROP TABLE sums; DROP TYPE size");
}

TEST(SourceSums, OfMariaDbChangeWithEveryValueOfEveryType) {
  NEED_EXTENSION("mysql_scanner", "mysql");
  NEED_SERVER(MariaDb);
  ASSERT_EQ(server->Sql("CREATE TABLE sums (i bigint, f double, single float, d decimal(38,10), t "
                        "text, u text, j json, e enum('S', 'L'), bits bit(3), raw blob, moment "
                        "timestamp(6), `x``; DROP TABLE sums; --` int); INSERT INTO sums VALUES "
                        "(1, NULL, 0.1, 1, 'a', NULL, '{}', 'S', b'101', x'00ff', '2026-01-02', "
                        "1), (2, NULL, 0.2, 2, 'a', NULL, '{}', 'S', b'101', x'00ff', "
                        "'2026-01-02', 2)"),
            "");
  ExpectOtherSums(
      *server, "mysql",
      {"UPDATE sums SET f = 0 WHERE i = 1", "UPDATE sums SET single = 0.10000002 WHERE i = 1",
       "UPDATE sums SET u = t, t = NULL WHERE i = 2", "UPDATE sums SET i = 3 - i",
       "UPDATE sums SET t = 'A' WHERE i = 1", "UPDATE sums SET bits = b'100'",
       "UPDATE sums SET `x``; DROP TABLE sums; --` = 9"});
  server->Sql("DROP TABLE sums");
}

TEST(SourceSums, AreTheSameInAnotherOrderAndOfTheQueryThatSelectsAll) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  const OwnJob own;
  server->Sql("CREATE TABLE sums AS SELECT g AS i, g / 7.0 AS f FROM generate_series(1, 99) g");
  const std::string sum = SumIn(RunOver(own, *server, "postgres"));
  EXPECT_TRUE(sum.starts_with("hash_record ")) << sum;
  EXPECT_EQ(SumIn(RunOver(own, *server, "postgres", "query = '''SELECT * FROM sums; '''")), sum);
  server->Sql("ALTER TABLE sums RENAME TO old");
  server->Sql("CREATE TABLE sums AS SELECT * FROM old ORDER BY f DESC");
  EXPECT_EQ(SumIn(RunOver(own, *server, "postgres")), sum);
  server->Sql("DROP TABLE sums; DROP TABLE old");
}

TEST(SourceSums, OfEarlierReleasesAreSaidToBeIncomparable) {
  NEED_EXTENSION("postgres_scanner", "postgres");
  NEED_SERVER(Postgres);
  const OwnJob own, other;
  server->Sql("CREATE TABLE sums AS SELECT g AS i FROM generate_series(1, 9) g");
  const std::string a = RunOver(own, *server, "postgres");
  const std::string b = RunOver(other, *server, "postgres");
  ASSERT_TRUE(fs::exists(b + "/sources.json")) << b;
  MakeOlder(b);
  const Outcome compared = own.Protium({"runs", "compare", a, b});
  EXPECT_EQ(compared.exit, 0) << compared.err;
  EXPECT_TRUE(Has(compared.out, "sum 12:34 (not comparable)")) << compared.out;
  server->Sql("DROP TABLE sums");
}

}  // namespace protium::whole
