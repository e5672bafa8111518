// SPDX-License-Identifier: Apache-2.0
#include "local/sql_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "local/database.h"

namespace protium {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

class ReadingSql : public testing::Test {
 protected:
  Result<RelationSql> Read(const std::string& text) {
    return ReadSql({text, {"flights", "planes"}}, connection_);
  }
  Fault Refusal(const std::string& text) { return FaultOf(Read(text).status()); }

  Database database_{DatabaseOptions{}};
  duck::Connection connection_ = database_.Connect().ValueOrDie();
};

TEST_F(ReadingSql, LeavesGoodTextAsItIs) {
  const std::string text = "SELECT a, count(*) AS n FROM flights -- all\nGROUP BY a";
  const auto sql = Read(text).ValueOrDie();
  EXPECT_EQ(sql.text, text);
  EXPECT_TRUE(sql.not_exact.empty());
}

TEST_F(ReadingSql, RefusesFunctionsThatDifferByNameWithReasonAndFix) {
  const Fault fault = Refusal("SELECT a,\n  format_string('%d', a) FROM flights");
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "function \"format_string\" is not the same on every engine");
  EXPECT_EQ(fault.where, "the SQL text, line 2, column 3");
  EXPECT_THAT(fault.why, HasSubstr("Java"));
  EXPECT_FALSE(fault.fix.empty());
  EXPECT_THAT(Refusal("SELECT hash(a) FROM flights").fix, HasSubstr("md5"));
  EXPECT_THAT(Refusal("SELECT a ^ 2 FROM flights").what, HasSubstr("\"^\""));
}

TEST_F(ReadingSql, NamesTheNeighboursOfAnUnknownFunction) {
  const Fault fault = Refusal("SELECT weekofyaer(d) FROM flights");
  EXPECT_EQ(fault.what, "there is no function \"weekofyaer\"");
  EXPECT_THAT(fault.fix, HasSubstr("\"weekofyear\""));
  EXPECT_EQ(Refusal("SELECT pt_round(1.0, 2)").what, "there is no function \"pt_round\"");
}

TEST_F(ReadingSql, NotesFunctionsOfOneEngineOnly) {
  EXPECT_THAT(Read("SELECT jaccard(a, b) AS j FROM flights").ValueOrDie().not_exact,
              Contains(StartsWith("jaccard: ")));
}

TEST_F(ReadingSql, AllowsOneSelectAndNothingElse) {
  EXPECT_EQ(Refusal("SELECT 1; SELECT 2").what, "the SQL text holds 2 statements");
  EXPECT_EQ(Refusal("DROP TABLE flights").what, "the SQL text is not a SELECT");
  EXPECT_EQ(Refusal("COPY flights TO 'x.csv'").what, "the SQL text is not a SELECT");
  EXPECT_EQ(Refusal("INSTALL httpfs").what, "the SQL text is not a SELECT");
  EXPECT_FALSE(Read("").ok());
  EXPECT_TRUE(Read("SELECT 1 AS one;").ok());
}

TEST_F(ReadingSql, PointsAtSyntaxErrors) {
  const Fault fault = Refusal("SELECT a\nFRM flights WHERE");
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.where, "the SQL text, line 2, column 5") << fault.what;
}

TEST_F(ReadingSql, RefusesFilesAndTablesThatAreNotDeclared) {
  EXPECT_THAT(Refusal("SELECT * FROM read_csv('x.csv')").fix, HasSubstr("[tables]"));
  EXPECT_THAT(Refusal("SELECT * FROM 'x.parquet'").why, HasSubstr("declared"));
  EXPECT_EQ(Refusal("SELECT * FROM fligths").fix, "did you mean \"flights\"?");
  EXPECT_FALSE(Read("SELECT * FROM main.flights").ok());
  EXPECT_FALSE(Read("SELECT * FROM duckdb_settings()").ok());
  EXPECT_TRUE(Read("WITH x AS (SELECT 1 AS a), y AS (SELECT * FROM X) SELECT * FROM y").ok());
  EXPECT_TRUE(Read("SELECT * FROM Flights f WHERE f.a IN (SELECT a FROM planes)").ok());
}

TEST_F(ReadingSql, SaysWhatIsNotExact) {
  const auto notes = [&](const std::string& text) { return Read(text).ValueOrDie().not_exact; };
  EXPECT_THAT(notes("SELECT sum(a) AS s FROM flights"), Contains(StartsWith("sum: ")));
  EXPECT_THAT(notes("SELECT exp(a) AS e FROM flights"), Contains(StartsWith("exp: ")));
  EXPECT_THAT(notes("SELECT a FROM flights LIMIT 3"),
              Contains(StartsWith("LIMIT without ORDER BY")));
  EXPECT_THAT(notes("SELECT lag(a) OVER (ORDER BY b) AS l FROM flights"),
              Contains(StartsWith("lag over a window: ")));
  EXPECT_TRUE(notes("SELECT a FROM flights ORDER BY a").empty());
  EXPECT_TRUE(notes("SELECT rank() OVER (ORDER BY b) AS r FROM flights").empty());
}

TEST_F(ReadingSql, RewritesWhatDuckDbReadsOtherwise) {
  EXPECT_THAT(Read("SELECT CAST(a AS INT) AS i FROM flights").ValueOrDie().text,
              HasSubstr("pt_to_integer(a) AS i"));
  EXPECT_THAT(
      Read("SELECT TRY_CAST(CAST(a AS BIGINT) AS SMALLINT) AS i FROM flights").ValueOrDie().text,
      HasSubstr("pt_try_smallint(pt_to_bigint(a))"));
}

TEST_F(ReadingSql, RefusesSamplesAndForeignPatterns) {
  EXPECT_THAT(Refusal("SELECT * FROM flights USING SAMPLE 10").fix, HasSubstr("split"));
  EXPECT_THAT(Refusal("SELECT * FROM flights TABLESAMPLE 10%").fix, HasSubstr("split"));
  EXPECT_THAT(Refusal("SELECT regexp_like(a, '(?x)a') AS l FROM flights").what, HasSubstr("(?x)"));
  EXPECT_THAT(Refusal("SELECT regexp_like(a, '[') AS l FROM flights").why, HasSubstr("closed"));
  EXPECT_THAT(Refusal("SELECT extract(epoch FROM d) AS e FROM flights").fix, HasSubstr("second()"));
  EXPECT_THAT(Refusal("SELECT date_format(d, 'yyyy G') AS e FROM flights").what,
              HasSubstr("yyyy G"));
}

TEST_F(ReadingSql, LongChainsOfOperatorsAreRead) {
  std::string text = "SELECT 0";
  for (int i = 0; i < 200; ++i) text += " + a";
  EXPECT_TRUE(Read(text + " AS s FROM flights").ok());
}

}  // namespace
}  // namespace protium
