// SPDX-License-Identifier: Apache-2.0
#include "local/sql_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "local/database.h"
#include "sql/duckdb/prelude.h"

namespace protium {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class ReadingSql : public testing::Test {
 protected:
  Result<RelationSql> Read(const std::string& text, bool without_ties = false) {
    const std::string columns = "SELECT 'x' AS a, 1 AS b, DATE '2013-07-04' AS d, 1.5 AS p";
    return ReadSql({.text = text, .names = {"flights", "planes"}, .without_ties = without_ties},
                   {columns, columns}, connection_);
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
  const Fault fault = Refusal("SELECT a,\n  from_csv(a, 'b INT') FROM flights");
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "function \"from_csv\" is not the same on every engine");
  EXPECT_EQ(fault.where, "the SQL text, line 2, column 3");
  EXPECT_THAT(fault.why, HasSubstr("schema"));
  EXPECT_FALSE(fault.fix.empty());
  EXPECT_THAT(Refusal("SELECT to_csv(a) FROM flights").fix, HasSubstr("concat_ws"));
  EXPECT_THAT(Refusal("SELECT a ** 2 FROM flights").what, HasSubstr("\"**\""));
}

TEST_F(ReadingSql, NamesTheNeighboursOfAnUnknownFunction) {
  const Fault fault = Refusal("SELECT weekofyaer(d) FROM flights");
  EXPECT_EQ(fault.what, "there is no function \"weekofyaer\"");
  EXPECT_THAT(fault.fix, HasSubstr("\"weekofyear\""));
  EXPECT_EQ(Refusal("SELECT pt_round(1.0, 2)").what, "there is no function \"pt_round\"");
}

TEST_F(ReadingSql, RefusesFunctionsOfTheEmbeddedEngineAlone) {
  for (const char* const call :
       {"jaccard(a, 'x')", "today()", "list_value(b)", "unnest(array(b))", "error(a)", "to_days(b)",
        "`to_days`(b)", "list_avg(array(b))", "date_add(d, to_days(1))", "regexp_full_match(a, a)",
        "struct_pack(b)", "count_star()", "quantile_cont(b, 0.5)"}) {
    const Fault fault = Refusal(fmt::format("SELECT {} AS x FROM flights", call));
    EXPECT_EQ(fault.exit, Exit::kUsage) << call;
    EXPECT_THAT(fault.why, HasSubstr("Spark does not")) << call << fault.what;
  }
  EXPECT_THAT(Refusal("SELECT today() AS x").fix, HasSubstr("current_date()"));
  EXPECT_THAT(Refusal("SELECT * FROM unnest(array(1)) AS t(x)").fix, HasSubstr("explode"));
}

TEST_F(ReadingSql, RefusesMinutesWhereMonthsAreMeant) {
  EXPECT_EQ(Refusal("SELECT to_date(a, 'mm/dd/yyyy') AS d FROM flights").fix,
            "write MM for the month");
  EXPECT_TRUE(Read("SELECT to_timestamp(a, 'yyyy-MM-dd HH:mm') AS d FROM flights").ok());
  EXPECT_TRUE(Read("SELECT date_format(d, 'mm yyyy') AS d FROM flights").ok());
}

TEST_F(ReadingSql, TellsTheClauseQualifyFromAName) {
  for (const char* const text :
       {"SELECT a, row_number() OVER (ORDER BY b) AS n FROM flights QUALIFY n = 1",
        "SELECT a FROM flights f JOIN planes p USING (a) QUALIFY rank() OVER (ORDER BY f.b) < 3",
        "SELECT a FROM flights WHERE b = 1 QUALIFY NOT max(b) OVER () = 2"}) {
    EXPECT_TRUE(Read(text).ok()) << text << Read(text).status();
  }
  for (const char* const text :
       {"SELECT a qualify FROM flights", "SELECT qualify FROM (SELECT b AS qualify FROM flights) q",
        "SELECT qualify.a FROM flights qualify WHERE qualify.b NOT IN (2)",
        "SELECT 1 AS x FROM (SELECT b AS qualify FROM flights) q WHERE q.b > 0 OR qualify > 1"}) {
    EXPECT_TRUE(Read(text).ok()) << text << Read(text).status();
  }
}

TEST_F(ReadingSql, RefusesQueriesThatOnlyTheEmbeddedEngineTakes) {
  const std::pair<const char*, const char*> kQueries[] = {
      {"SELECT row_number() OVER () AS n FROM flights", "a window without an order"},
      {"SELECT lag(b) OVER (PARTITION BY a) AS n FROM flights", "a window without an order"},
      {"SELECT rank() OVER w AS n FROM flights WINDOW w AS (PARTITION BY a)", "without an order"},
      {"SELECT median(b) OVER (ORDER BY b) AS n FROM flights", "a window with an order"},
      {"SELECT nth_value(b, 0) OVER (ORDER BY b) AS n FROM flights", "an offset"},
      {"SELECT lag(b, b) OVER (ORDER BY b) AS n FROM flights", "an offset"},
      {"SELECT b FROM (SELECT b, b FROM flights) AS t", "\"b\" is ambiguous"},
      {"SELECT f.b FROM (SELECT b, a AS b FROM flights) AS f", "\"b\" is ambiguous"},
      {"SELECT k FROM (SELECT 1 AS k) AS t JOIN (SELECT 1 AS k) AS u ON t.k = u.k", "is ambiguous"},
      {"SELECT b + 1 AS x FROM flights WHERE x > 1", "\"x\" is a name of the select list"},
      {"SELECT b + 1 AS x, (SELECT x) AS y FROM flights", "\"x\" is a name of the select list"},
      {"SELECT b + 1 AS x, sum(x) OVER () AS y FROM flights", "\"x\" is a name of the select list"},
      {"SELECT DISTINCT a FROM flights ORDER BY b", "does not show \"b\""},
      {"SELECT a AS x, b AS x FROM flights ORDER BY x", "several columns \"x\""},
      {"SELECT a, grouping(a) AS g FROM flights GROUP BY a", "one set of columns"},
      {"SELECT a, b, grouping_id(b, a) AS g FROM flights GROUP BY CUBE (a, b)", "other columns"},
      {"SELECT a, b, grouping_id(a) AS g FROM flights GROUP BY CUBE (a, b)", "other columns"},
      {"SELECT a FROM flights GROUP BY a QUALIFY rank() OVER (ORDER BY sum(b)) = 1",
       "an aggregate"},
      {"SELECT flights FROM flights", "is a table, not a column"},
      {"SELECT a FROM flights LIMIT 1.5", "a number of rows is decimal(2,1)"},
      {"SELECT a FROM flights WHERE NULL", "WHERE is given NULL"},
      {"SELECT * FROM flights f FULL JOIN planes p ON f.b IN (SELECT 1)",
       "an outer join ON a query"},
      {"SELECT explode(array(b)) + 1 AS x FROM flights", "part of an expression"},
      {"SELECT a FROM flights ORDER BY explode(array(b))", "part of an expression"},
      {"SELECT b AS (x, y) FROM flights", "several names are given to one column"},
      {"SELECT explode(array(b)) AS (x, y) FROM flights", "makes 1 columns and is given 2 names"},
      {"SELECT explode(b) AS x FROM flights", "explode() is given int"},
      {"SELECT stack(2, 1, 'a', 'b', 2) FROM flights", "different types"},
      {"SELECT b FROM flights WHERE b > ALL (SELECT 1)", "a comparison with ALL"},
      {"SELECT b FROM flights WHERE b IN (VALUES (1))", "IN is given rows of VALUES"},
      {"WITH RECURSIVE t(n) AS (SELECT 1 UNION SELECT n + 1 FROM t WHERE n < 5) SELECT n FROM t",
       "by UNION"},
      {"SELECT sum(b) OVER (w ORDER BY b) AS x FROM flights WINDOW w AS (PARTITION BY a)",
       "adds to a window"}};
  for (const auto& [text, what] : kQueries) {
    EXPECT_THAT(Refusal(text).what, HasSubstr(what)) << text;
    EXPECT_EQ(Refusal(text).exit, Exit::kUsage) << text;
  }
}

TEST_F(ReadingSql, LooksAtNamesOfWithThatNobodyReads) {
  EXPECT_FALSE(Read("WITH t AS (SELECT nosuch FROM flights) SELECT 1 AS a").ok());
  EXPECT_FALSE(Read("WITH t AS (SELECT a, count(*) AS n FROM flights) SELECT 1 AS a").ok());
  EXPECT_TRUE(Read("WITH t AS (SELECT 1 / 0 AS x), u AS (SELECT x FROM t) SELECT 1 AS a").ok());
}

TEST_F(ReadingSql, TellsTheRightNamesApart) {
  for (const char* const text :
       {"SELECT t.k, u.k AS j FROM (SELECT 1 AS k) AS t JOIN (SELECT 1 AS k) AS u ON t.k = u.k",
        "SELECT t.k FROM (SELECT 1 AS k) AS t JOIN (SELECT 1 AS k) AS u ON t.k = u.k ORDER BY k",
        "SELECT k FROM (SELECT 1 AS k) AS t FULL JOIN (SELECT 1 AS k) AS u USING (k) WHERE k > 0",
        "SELECT a, a FROM flights ORDER BY a", "SELECT b + 1 AS b FROM flights WHERE b > 1",
        "SELECT b + 1 AS x, transform(array(b), y -> y + x) AS z FROM flights",
        "SELECT -b AS b FROM flights ORDER BY b", "SELECT DISTINCT f.a FROM flights f ORDER BY f.a",
        "SELECT b AS x, count(*) AS n FROM flights GROUP BY x HAVING x > 1 ORDER BY n",
        "SELECT *, p / 2.0D AS ratio FROM flights ORDER BY ratio"}) {
    EXPECT_TRUE(Read(text).ok()) << text << Read(text).status();
  }
}

TEST_F(ReadingSql, CallsTheColumnOfRangeAsSparkDoes) {
  for (const char* const text : {"SELECT id FROM range(5)", "SELECT range.id FROM range(2, 5)",
                                 "SELECT r.id FROM range(5) r", "SELECT n FROM range(5) AS r(n)"}) {
    const auto read = Read(text);
    EXPECT_TRUE(read.ok()) << text << read.status();
  }
}

TEST_F(ReadingSql, WantsANameForEachColumnOfAList) {
  for (const char* const text :
       {"SELECT x FROM VALUES (1, 2) AS t(x)", "SELECT x FROM flights AS t(x)",
        "SELECT x FROM (SELECT 1 AS a, 2 AS b) AS t(x)",
        "WITH t(x) AS (SELECT 1, 2) SELECT x FROM t", "SELECT x FROM VALUES (1) AS t(x, y)"}) {
    EXPECT_THAT(Refusal(text).what, HasSubstr("its list of names has")) << text;
  }
  EXPECT_TRUE(Read("SELECT x FROM VALUES (1, 2) AS t(x, y)").ok());
}

TEST_F(ReadingSql, AllowsOneSelectAndNothingElse) {
  EXPECT_EQ(Refusal("SELECT 1; SELECT 2").what, "the SQL text holds 2 statements");
  EXPECT_EQ(Refusal("DROP TABLE flights").what, "the SQL text is not a SELECT");
  EXPECT_EQ(Refusal("COPY flights TO 'x.csv'").what, "the SQL text is not a SELECT");
  EXPECT_EQ(Refusal("INSTALL httpfs").what, "the SQL text is not a SELECT");
  EXPECT_FALSE(Read("").ok());
  EXPECT_TRUE(Read("SELECT 1 AS one;").ok());
}

TEST_F(ReadingSql, KnowsNamesOfQueriesOnlyWhereTheyReach) {
  const std::string inner =
      "(WITH \"/etc/passwd\" AS (SELECT 1 AS a) SELECT a FROM \"/etc/passwd\")";
  EXPECT_TRUE(Read("SELECT " + inner + " AS a FROM flights").ok());
  EXPECT_EQ(Refusal("SELECT * FROM \"/etc/passwd\" WHERE 1 IN " + inner).what,
            "there is no table \"/etc/passwd\"");
  EXPECT_FALSE(Read("WITH x AS (SELECT * FROM y), y AS (SELECT 1 AS a) SELECT * FROM x").ok());
  EXPECT_FALSE(Read("WITH x AS (SELECT * FROM x) SELECT * FROM x").ok());
}

TEST_F(ReadingSql, OrdersByNamesOfTheSelectBeforeThoseOfItsTables) {
  EXPECT_EQ(Read("SELECT -b AS b, a AS n FROM flights ORDER BY b + 1, b").ValueOrDie().text,
            "SELECT \"-\"(b) AS b, a AS n FROM flights ORDER BY (\"-\"(b) + 1), b");
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
  EXPECT_TRUE(Read("WITH RECURSIVE r AS (SELECT 1 AS a UNION ALL SELECT a + 1 FROM r WHERE a < 3) "
                   "SELECT a FROM r")
                  .ok());
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

TEST_F(ReadingSql, NotesNoTiesWhereThereAreNone) {
  const std::string text =
      "SELECT lag(a) OVER (ORDER BY d) AS l, sum(b) OVER (ORDER BY d ROWS 1 PRECEDING) AS s, "
      "sum(p) OVER (ORDER BY d) AS p, exp(b) AS e FROM flights";
  EXPECT_THAT(Read(text).ValueOrDie().not_exact,
              ElementsAre(StartsWith("exp: "), StartsWith("lag over a window: "),
                          StartsWith("sum over a window of rows: ")));
  const RelationSql sure = Read(text, /*without_ties=*/true).ValueOrDie();
  EXPECT_THAT(sure.not_exact, ElementsAre(StartsWith("exp: ")));
  EXPECT_TRUE(sure.varies.empty());
}

TEST_F(ReadingSql, SaysWhatVariesBetweenRuns) {
  const auto varies = [&](const std::string& text) { return Read(text).ValueOrDie().varies; };
  EXPECT_TRUE(varies("SELECT sum(b) AS s, avg(b) AS m, sum(p) AS d, avg(p) AS e, exp(b) AS f, "
                     "sum(b) OVER (PARTITION BY d) AS w FROM flights GROUP BY ALL")
                  .empty());
  EXPECT_THAT(varies("SELECT sum(CAST(b AS DOUBLE)) AS s FROM flights"),
              ElementsAre(AllOf(StartsWith("the SQL text, line 1, column 8, sum(b): "),
                                HasSubstr("CAST(b AS DECIMAL"))));
  EXPECT_THAT(varies("SELECT avg(a) AS s FROM flights"), ElementsAre(HasSubstr("avg(a)")));
  EXPECT_THAT(varies("SELECT stddev(b) AS s FROM flights"), ElementsAre(StartsWith("stddev: ")));
  EXPECT_THAT(varies("SELECT now() AS n FROM flights"), ElementsAre(StartsWith("now: ")));
  EXPECT_THAT(varies("SELECT a FROM flights ORDER BY b LIMIT 3"),
              ElementsAre(StartsWith("LIMIT: ")));
  EXPECT_THAT(varies("SELECT max_by(a, b) AS m FROM flights"), ElementsAre(StartsWith("max_by: ")));
  EXPECT_TRUE(Read("SELECT sum(b) AS s FROM flights").ValueOrDie().not_exact.empty());
}

TEST_F(ReadingSql, RowsThatTieInAWindowGetOneOrder) {
  const auto read = [&](const std::string& text) { return Read(text).ValueOrDie(); };
  const auto lag = read("SELECT lag(a) OVER (ORDER BY b) AS l, d FROM flights");
  EXPECT_THAT(lag.text, HasSubstr("ORDER BY b, hash(a, b, d)"));
  EXPECT_TRUE(lag.varies.empty());
  EXPECT_FALSE(lag.not_exact.empty());
  EXPECT_THAT(read("SELECT *, row_number() OVER (ORDER BY b) AS n FROM flights").text,
              HasSubstr("hash(flights.a, flights.b, "));
  EXPECT_THAT(read("SELECT max(a) OVER (ORDER BY b ROWS 1 PRECEDING) AS l FROM flights").varies,
              testing::IsEmpty());
  EXPECT_THAT(read("SELECT x, lag(b) OVER (ORDER BY b) AS l FROM (SELECT b, CAST(b AS DOUBLE) AS x "
                   "FROM flights) t")
                  .text,
              HasSubstr("signbit(x)"));
  // A frame of peers is another one once they are parted, and groups have no columns to add.
  for (const char* const text :
       {"SELECT last_value(a) OVER (ORDER BY b) AS l FROM flights",
        "SELECT any_value(a) OVER (PARTITION BY b) AS l FROM flights",
        "SELECT b, row_number() OVER (ORDER BY count(*)) AS l FROM flights GROUP BY b"}) {
    const auto loose = read(text);
    EXPECT_FALSE(loose.varies.empty()) << text;
    EXPECT_THAT(loose.text, testing::Not(HasSubstr("hash("))) << text;
  }
}

TEST_F(ReadingSql, RewritesWhatDuckDbReadsOtherwise) {
  EXPECT_THAT(Read("SELECT CAST(a AS INT) AS i FROM flights").ValueOrDie().text,
              HasSubstr("pt_to_integer(a) AS i"));
  EXPECT_THAT(
      Read("SELECT TRY_CAST(CAST(a AS BIGINT) AS SMALLINT) AS i FROM flights").ValueOrDie().text,
      HasSubstr("TRY_CAST(pt_to_bigint(a) AS SMALLINT)"));
}

TEST_F(ReadingSql, SpellsOperatorsByTheTypesOfColumns) {
  const auto text = [&](const std::string& sql) { return Read(sql).ValueOrDie().text; };
  EXPECT_THAT(text("SELECT p / 3 AS q FROM flights"), HasSubstr("AS DECIMAL(7,6)) AS q"));
  EXPECT_THAT(text("SELECT 2 * b AS q FROM flights"), HasSubstr("SELECT 2 * b AS q"));
  EXPECT_THAT(text("SELECT CAST(b AS DOUBLE) || a AS t FROM flights"), HasSubstr("pt_double_text"));
  EXPECT_THAT(text("SELECT d + INTERVAL 1 MONTH AS m FROM flights"), HasSubstr("AS DATE) AS m"));
  EXPECT_THAT(text("SELECT b AS x FROM flights UNION ALL SELECT a FROM planes"),
              HasSubstr("pt_to_bigint(pt_1)"));
}

TEST_F(ReadingSql, RefusesWhatSparkHasNoTypeFor) {
  const Fault fault = Refusal("SELECT b,\n  sum(b > 1) AS n FROM flights");
  EXPECT_EQ(fault.what, "sum() is given boolean");
  EXPECT_EQ(fault.where, "the SQL text, line 2, column 3");
  EXPECT_FALSE(fault.why.empty());
  EXPECT_THAT(Refusal("SELECT b FROM flights WHERE b").what, HasSubstr("a condition is int"));
  EXPECT_THAT(Refusal("SELECT * FROM flights JOIN (SELECT 1 AS a) t USING (a)").what,
              HasSubstr("\"a\" that USING joins"));
}

TEST_F(ReadingSql, RefusesSamplesAndForeignPatterns) {
  EXPECT_THAT(Refusal("SELECT * FROM flights USING SAMPLE 10").fix, HasSubstr("split"));
  EXPECT_THAT(Refusal("SELECT * FROM flights TABLESAMPLE 10%").fix, HasSubstr("split"));
  EXPECT_THAT(Refusal("SELECT regexp_like(a, '(?x)a') AS l FROM flights").what, HasSubstr("(?x)"));
  EXPECT_THAT(Refusal("SELECT regexp_like(a, '[') AS l FROM flights").why, HasSubstr("closed"));
  EXPECT_THAT(Refusal("SELECT extract(epoch FROM d) AS e FROM flights").fix, HasSubstr("second"));
  EXPECT_THAT(Refusal("SELECT date_format(d, 'yyyy G') AS e FROM flights").what,
              HasSubstr("yyyy G"));
}

// A macro of the table of functions would be called instead of a registered function of the same
// name.
TEST_F(ReadingSql, NoMacroHidesAFunctionOfOurs) {
  std::string names;
  for (const Macro& macro : DuckDbMacros()) {
    if (!macro.name.starts_with("pt_")) continue;
    names += (names.empty() ? "'" : ", '") + std::string(macro.name) + "'";
  }
  const auto hidden = duck::AskText(
      connection_,
      "SELECT coalesce(string_agg(DISTINCT function_name, ' '), '') FROM duckdb_functions() WHERE "
      "function_type <> 'macro' AND function_name IN (" +
          names + ")");
  EXPECT_EQ(hidden.ValueOrDie(), "");
  EXPECT_GT(names.size(), 1000);
}

TEST_F(ReadingSql, LongChainsOfOperatorsAreRead) {
  std::string text = "SELECT 0";
  for (int i = 0; i < 200; ++i) text += " + a";
  EXPECT_TRUE(Read(text + " AS s FROM flights").ok());
}

}  // namespace
}  // namespace protium
