// SPDX-License-Identifier: Apache-2.0
#include "sql/writer.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include "base/fault.h"

namespace protium {
namespace {

SchemaPtr Schema() {
  return arrow::schema({arrow::field("day", arrow::int64()), arrow::field("who", arrow::utf8()),
                        arrow::field("temp", arrow::float64())});
}

Plan Table() { return MakePlan(Scan{.table = "t", .paths = {"t.csv"}, .schema = Schema()}); }

Result<RelationSql> Write(const Plan& plan, const Dialect& dialect) {
  SqlContext context{.dialect = &dialect, .tables = {}};
  const Node* node = plan.get();
  while (!node->inputs.empty()) node = node->inputs.front().get();
  context.tables[node] = {.table = "t"};
  context.describe = [](const std::string&) -> Result<SchemaPtr> { return Schema(); };
  return WriteSql(plan, context);
}

TEST(WriteSql, SpellsExpressionsForEachEngine) {
  const Plan plan = MakePlan(Project{{{"x", Col("day") / Lit(0.5)},
                                      {"it's", MakeCall("cast_string", {Col("temp")})},
                                      {"q", Lit("it's \\")}}},
                             {Table()});
  EXPECT_EQ(Write(plan, DuckDbDialect()).ValueOrDie().text,
            "SELECT pt_divide(\"day\", CAST('0.5' AS DOUBLE)) AS \"x\", CAST(\"temp\" AS VARCHAR) "
            "AS \"it's\", 'it''s \\' AS \"q\" FROM (SELECT * FROM t)");
  EXPECT_EQ(Write(plan, SparkDialect()).ValueOrDie().text,
            "SELECT (`day` / CAST('0.5' AS DOUBLE)) AS `x`, CAST(`temp` AS STRING) AS `it's`, "
            "'it\\'s \\\\' AS `q` FROM (SELECT * FROM t)");
}

TEST(WriteSql, SplitsByTheSameTextOnBothEngines) {
  const Plan plan = MakePlan(
      Split{.by = {"day", "who"}, .part = 0.25, .seed = 7, .side = Split::Side::kPart}, {Table()});
  EXPECT_EQ(Write(plan, SparkDialect()).ValueOrDie().text,
            "SELECT * FROM (SELECT * FROM t) WHERE (substr(md5('7' || coalesce('+' || "
            "CAST(length(CAST(`day` AS STRING)) AS STRING) || ':' || CAST(`day` AS STRING), '-') "
            "|| coalesce('+' || CAST(length(CAST(`who` AS STRING)) AS STRING) || ':' || "
            "CAST(`who` AS STRING), '-')), 1, 13) < '4000000000000')");
}

// A table that carries the sides of both cuts is not hashed again, whatever lies in between.
TEST(WriteSql, ReadsTheSidesThatAKeptTableCarries) {
  const Plan table = Table();
  const Plan train = MakePlan(Split{.by = {"day"}, .part = 0.2, .seed = 7}, {table});
  const Plan late = MakePlan(Filter{Col("temp") > Lit(0.5)}, {train});
  const Plan marked =
      MakePlan(MarkSplit{.by = {"day"}, .part = 0.1, .seed = 8, .column = "held"}, {late});
  std::vector<KeptMark> marks = FindCuts(marked, table.get());
  ASSERT_EQ(marks.size(), 2u);
  const Plan filled = WithMarks(table, {"day", "pt_cut_0"}, marks);
  EXPECT_EQ(marks[0].column, "pt_cut_0_");
  EXPECT_EQ(marks[1].column, "pt_cut_1");
  SqlContext context{.dialect = &SparkDialect(), .tables = {}};
  context.tables[table.get()] = {.table = "t", .columns = {"day", "temp"}, .marks = marks};
  EXPECT_EQ(WriteSql(table, context).ValueOrDie().text, "SELECT `day`, `temp` FROM t");
  const auto& [held, split] = std::pair(marks[0], marks[1]);
  EXPECT_EQ(WriteSql(marked, context).ValueOrDie().text,
            "SELECT `day`, `temp`, `" + held.column +
                "` AS `held` FROM (SELECT * FROM (SELECT * "
                "FROM t WHERE NOT `" +
                split.column + "`) WHERE (`temp` > CAST('0.5' AS DOUBLE)))");
  EXPECT_TRUE(FindCuts(MakePlan(Split{}, {MakePlan(Limit{3}, {table})}), table.get()).empty());
}

TEST(WriteSql, RefusesSplitsThatCannotBe) {
  EXPECT_EQ(
      FaultOf(Write(MakePlan(Split{.by = {"days"}}, {Table()}), DuckDbDialect()).status()).fix,
      "did you mean \"day\"?");
  EXPECT_FALSE(Write(MakePlan(Split{.part = 1}, {Table()}), DuckDbDialect()).ok());
}

TEST(WriteSql, SaysThatASplitByDoublesIsNotExact) {
  const auto sql = Write(MakePlan(Split{}, {Table()}), DuckDbDialect()).ValueOrDie();
  ASSERT_EQ(sql.not_exact.size(), 1u);
  EXPECT_EQ(sql.not_exact[0], "split by temp: engines format fractional doubles differently");
}

TEST(WriteSql, RefusesLookupsWithTheSameKeyTwice) {
  const auto keys = std::make_shared<std::vector<std::string>>(std::vector<std::string>{"a", "a"});
  EXPECT_FALSE(Write(MakePlan(Lookup{.column = "who", .output = "i", .keys = keys}, {Table()}),
                     DuckDbDialect())
                   .ok());
}

TEST(WriteSql, NamesTheTablesOfAText) {
  const Plan plan = MakePlan(Sql{"SELECT * FROM \"a b\" -- all", {"a b"}}, {Table()});
  EXPECT_EQ(Write(plan, DuckDbDialect()).ValueOrDie().text,
            "WITH \"a b\" AS (SELECT * FROM t) SELECT * FROM (\nSELECT * FROM \"a b\" -- all\n)");
}

TEST(WriteSql, APlanThatIsTooDeepIsRefused) {
  Plan plan = Table();
  for (int i = 0; i < 1000; ++i) plan = MakePlan(Limit{1}, {plan});
  EXPECT_FALSE(Write(plan, DuckDbDialect()).ok());
}

}  // namespace
}  // namespace protium
