// SPDX-License-Identifier: Apache-2.0
// Verbs of frames compared with rows worked out by hand, on every engine.
#include <arrow/api.h>
#include <arrow/compute/cast.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <fstream>

#include "base/fault.h"
#include "engines.h"
#include "frame/session_state.h"

namespace protium {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::UnorderedElementsAre;

class Verbs : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "verbs-XXXXXX";
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
    Write("sales", "shop,day,amount\na,1,10\na,2,20\nb,1,5\nb,2,\nc,1,7\n,1,1\n");
    Write("shops", "shop,town\na,Aachen\nb,Bonn\nd,Dorsten\n,Nowhere\n");
    auto session = OpenSession({.engine = GetParam(), .folder = folder_ / "run", .base = folder_});
    ASSERT_TRUE(session.ok()) << session.status();
    session_ = std::move(*session);
  }
  void TearDown() override {
    session_.reset();
    fs::remove_all(folder_);
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / (name + ".csv")) << text;
  }
  DataFrame Read(const std::string& name) { return session_->Read().Csv(name + ".csv"); }

  // The rows as texts: cells separated by spaces, NULL as "-".
  static std::vector<std::string> Rows(const DataFrame& frame) {
    const auto stream = frame.Stream();
    EXPECT_TRUE(stream.ok()) << Render(FaultOf(stream.status()));
    std::vector<std::string> rows;
    while (stream.ok()) {
      const auto batch = (*stream)->Next().ValueOrDie();
      if (batch == nullptr) break;
      for (int64_t row = 0; row < batch->num_rows(); ++row) rows.push_back(Row(*batch, row));
    }
    return rows;
  }
  static std::string Row(const arrow::RecordBatch& batch, int64_t row) {
    std::string text;
    for (const auto& column : batch.columns()) {
      const auto cell = column->GetScalar(row).ValueOrDie();
      text += (text.empty() ? "" : " ") + (cell->is_valid ? cell->ToString() : std::string("-"));
    }
    return text;
  }
  static std::string Names(const DataFrame& frame) {
    std::string names;
    for (const std::string& name : frame.Schema().ValueOrDie()->field_names()) names += name + " ";
    return names;
  }
  static Fault FaultFrom(const DataFrame& frame) { return FaultOf(frame.Schema().status()); }

  fs::path folder_;
  std::unique_ptr<Session> session_;
};

TEST_P(Verbs, AddRenameAndDropColumns) {
  const DataFrame changed =
      Read("sales")
          .WithColumns({{"Amount", Col("amount") * 2}, {"big", Col("amount") > 9}})
          .Rename({{"shop", "store"}})
          .Drop({"DAY"});
  EXPECT_EQ(Names(changed), "store Amount big ");
  EXPECT_THAT(Rows(changed), UnorderedElementsAre("a 20 true", "a 40 true", "b 10 false", "b - -",
                                                  "c 14 false", "- 2 false"));
  EXPECT_EQ(FaultFrom(changed.Drop({"stores"})).what,
            "drop \"stores\": the table has no such column");
  EXPECT_THAT(FaultFrom(changed.Drop({"stores"})).fix, HasSubstr("did you mean \"store\""));
  EXPECT_EQ(FaultFrom(changed.Select({"big", "stores"})).what,
            "select \"stores\": the table has no such column");
  EXPECT_THAT(FaultFrom(changed.Rename({{"store", "BIG"}})).what, HasSubstr("two columns"));
}

TEST_P(Verbs, JoinEveryWay) {
  const auto join = [&](JoinKind how) {
    return Read("sales")
        .Filter(Col("day") == 1)
        .Drop({"day"})
        .Join(Read("shops"), {.on = {"shop"}, .how = how});
  };
  EXPECT_EQ(Names(join(JoinKind::kInner)), "shop amount town ");
  EXPECT_THAT(Rows(join(JoinKind::kInner)), UnorderedElementsAre("a 10 Aachen", "b 5 Bonn"));
  EXPECT_THAT(Rows(join(JoinKind::kLeft)),
              UnorderedElementsAre("a 10 Aachen", "b 5 Bonn", "c 7 -", "- 1 -"));
  EXPECT_THAT(Rows(join(JoinKind::kRight)),
              UnorderedElementsAre("a 10 Aachen", "b 5 Bonn", "d - Dorsten", "- - Nowhere"));
  EXPECT_THAT(Rows(join(JoinKind::kFull)),
              UnorderedElementsAre("a 10 Aachen", "b 5 Bonn", "c 7 -", "- 1 -", "d - Dorsten",
                                   "- - Nowhere"));
  EXPECT_THAT(Rows(join(JoinKind::kSemi)), UnorderedElementsAre("a 10", "b 5"));
  EXPECT_THAT(Rows(join(JoinKind::kAnti)), UnorderedElementsAre("c 7", "- 1"));
}

TEST_P(Verbs, JoinOnOtherNamesAndAcross) {
  const DataFrame named = Read("shops").Rename({{"shop", "code"}});
  const DataFrame joined = Read("sales").Join(named, {.on = {{"shop", "code"}}});
  EXPECT_EQ(Names(joined), "shop day amount town ");
  EXPECT_EQ(Rows(joined).size(), 4u);
  EXPECT_EQ(Rows(Read("sales").Join(named, {.how = JoinKind::kCross})).size(), 24u);
}

TEST_P(Verbs, JoinsThatAreWrong) {
  const DataFrame sales = Read("sales");
  EXPECT_EQ(FaultFrom(sales.Join(Read("shops"), {.on = {"town"}})).what,
            "join on \"town\": the left table has no such column");
  EXPECT_THAT(FaultFrom(sales.Join(Read("shops"), {.on = {{"day", "town"}}})).what,
              HasSubstr("it is int64 in the left table, and string in the right"));
  EXPECT_THAT(FaultFrom(sales.Join(sales, {.on = {"shop"}})).what,
              HasSubstr("both tables have a column \"day\""));
  EXPECT_THAT(FaultFrom(sales.Join(sales, {})).what, HasSubstr("at least one key"));
}

TEST_P(Verbs, GroupAndAggregate) {
  const DataFrame totals =
      Read("sales").GroupBy({"shop"}).Aggregate({{"rows", CountRows()},
                                                 {"known", CountOf(Col("amount"))},
                                                 {"twice", Sum(Col("amount") * 2) + 1},
                                                 {"mean", Avg(Col("amount"))},
                                                 {"last", MaxBy(Col("amount"), Col("day"))}});
  EXPECT_EQ(Names(totals), "shop rows known twice mean last ");
  EXPECT_THAT(Rows(totals), UnorderedElementsAre("a 2 2 61 15 20", "b 2 1 11 5 -", "c 1 1 15 7 7",
                                                 "- 1 1 3 1 1"));
  EXPECT_THAT(Rows(Read("sales").GroupBy({}).Aggregate(
                  {{"n", CountRows()}, {"shops", CountDistinct(Col("shop"))}})),
              ElementsAre("6 3"));
  EXPECT_THAT(FaultFrom(Read("sales").GroupBy({"shop"}).Aggregate({{"d", Col("day") + 1}})).what,
              HasSubstr("column \"day\" has many values in a group"));
}

TEST_P(Verbs, Pivot) {
  const Groups by_day = Read("sales").GroupBy({"shop"}).Pivot("day", {1, 2});
  const DataFrame one = by_day.Aggregate({{"amount", Sum(Col("amount"))}});
  EXPECT_EQ(Names(one), "shop 1 2 ");
  EXPECT_THAT(Rows(one), UnorderedElementsAre("a 10 20", "b 5 -", "c 7 -", "- 1 -"));
  const DataFrame two = by_day.Aggregate({{"n", CountRows()}, {"top", Max(Col("amount"))}});
  EXPECT_EQ(Names(two), "shop 1_n 1_top 2_n 2_top ");
  EXPECT_THAT(Rows(two),
              UnorderedElementsAre("a 1 10 1 20", "b 1 5 1 -", "c 1 7 0 -", "- 1 1 0 -"));
}

TEST_P(Verbs, WindowsLookAround) {
  const DataFrame windows = Read("sales").Window(
      {.by = {"shop"}, .order = {Asc("day")}},
      {{"before", Lag(Col("amount"))}, {"so_far", Sum(Col("amount"))}, {"place", RowNumber()}});
  EXPECT_EQ(Names(windows), "shop day amount before so_far place ");
  EXPECT_THAT(Rows(windows), UnorderedElementsAre("a 1 10 - 10 1", "a 2 20 10 30 2", "b 1 5 - 5 1",
                                                  "b 2 - 5 5 2", "c 1 7 - 7 1", "- 1 1 - 1 1"));
  const DataFrame whole = Read("sales").Window(
      {.by = {"shop"}}, {{"amount", Col("amount") * 100 / Sum(Col("amount"))}});
  EXPECT_THAT(Rows(whole.Filter(Col("shop") == "b").Select({"amount"})),
              UnorderedElementsAre("100", "-"));
  const DataFrame ranged = Read("sales").Window(
      {.order = {Asc("amount")}, .range = RowRange{-1, 0}}, {{"two", Sum(Col("amount"))}});
  EXPECT_THAT(Rows(ranged.Select({"two"})), UnorderedElementsAre("-", "1", "6", "12", "17", "30"));
  EXPECT_THAT(FaultFrom(Read("sales").Window({}, {{"n", RowNumber()}})).what,
              HasSubstr("which row comes before another"));
  // Columns with the names that arguments get.
  Write("own", "pt_0,pt_1\n1,10\n2,20\n");
  EXPECT_THAT(Rows(Read("own").Window({}, {{"all", Sum(Col("pt_1"))}})),
              UnorderedElementsAre("1 10 30", "2 20 30"));
  EXPECT_THAT(Rows(Read("own").GroupBy({"pt_0"}).Aggregate({{"all", Sum(Col("pt_1"))}})),
              UnorderedElementsAre("1 10", "2 20"));
}

TEST_P(Verbs, JoinAColumnWithTwo) {
  Write("pairs", "one,two,x\na,a,1\na,b,2\nb,b,3\n");
  const DataFrame joined = Read("sales")
                               .Filter(Col("day") == 1)
                               .Join(Read("pairs"), {.on = {{"shop", "one"}, {"shop", "two"}}});
  EXPECT_EQ(Names(joined), "shop day amount x ");
  EXPECT_THAT(Rows(joined), UnorderedElementsAre("a 1 10 1", "b 1 5 3"));
}

TEST_P(Verbs, SortUniteAndTakeApart) {
  const DataFrame sorted = Read("sales").Sort({Desc("amount"), Asc("shop")});
  EXPECT_THAT(Rows(sorted.Limit(3).Select({"amount"})), ElementsAre("20", "10", "7"));
  EXPECT_EQ(Rows(sorted).back(), "b 2 -");
  const DataFrame turned = Read("sales").Select({"amount", "day", "shop"});
  EXPECT_EQ(Rows(Read("sales").Union(turned)).size(), 12u);
  EXPECT_EQ(Rows(Read("sales").Union(turned).Distinct()).size(), 6u);
  EXPECT_THAT(FaultFrom(Read("sales").Union(Read("shops"))).what,
              HasSubstr("the other table has no such column"));
  EXPECT_THAT(FaultFrom(turned.Drop({"day"}).Union(turned)).what,
              HasSubstr("the first table has no such column"));
}

TEST_P(Verbs, SamplesAreTheSameRowsEveryTime) {
  std::string text = "id\n";
  for (int i = 0; i < 10000; ++i) text += std::to_string(i) + "\n";
  Write("many", text);
  const DataFrame many = Read("many");
  const auto first = Rows(many.Sample(0.1, 3));
  EXPECT_NEAR(first.size(), 1000, 100);
  EXPECT_THAT(Rows(many.Sort({Desc("id")}).Sample(0.1, 3)),
              testing::UnorderedElementsAreArray(first));
  EXPECT_NE(Rows(many.Sample(0.1, 4)), first);
}

TEST_P(Verbs, DescribeColumns) {
  const auto rows = Rows(Read("sales").Describe());
  EXPECT_THAT(rows,
              ElementsAre("shop string 6 1 3 a c - -", HasSubstr("day int64 6 0 2 1 2 1.33333"),
                          HasSubstr("amount int64 6 1 5 1 20 8.6 ")));
}

// Spark reads a file's path as a table; the embedded engine has no catalogue.
TEST_P(Verbs, TablesOfTheCatalogue) {
  ASSERT_TRUE(Read("sales").Write().Parquet((folder_ / "sales.parquet").string()).ok());
  const DataFrame table =
      session_->Read().Table("parquet.`" + (folder_ / "sales.parquet").string() + "`");
  if (GetParam().starts_with("sc://")) {
    EXPECT_EQ(Rows(table).size(), 6u);
    EXPECT_EQ(Rows(table.Filter(Col("shop") == "a").GroupBy({}).Aggregate({{"n", CountRows()}})),
              std::vector<std::string>{"2"});
    EXPECT_THAT(FaultFrom(session_->Read().DuckDb("sales.csv", "t")).what,
                HasSubstr("does not read tables of DuckDB"));
  } else {
    EXPECT_THAT(FaultFrom(table).what, HasSubstr("has no catalogue"));
  }
}

TEST_P(Verbs, AreToldInThePlan) {
  const std::string text =
      Explain(Read("sales")
                  .Join(Read("shops"), {.on = {"shop"}, .how = JoinKind::kLeft})
                  .Distinct()
                  .plan());
  EXPECT_THAT(text, HasSubstr("distinct\n  left join on shop\n    scan sales csv"));
}

std::string EngineName(const testing::TestParamInfo<std::string>& info) {
  return info.param.substr(0, info.param.find(':'));
}

INSTANTIATE_TEST_SUITE_P(On, Verbs, testing::ValuesIn(EngineAddresses()), EngineName);

}  // namespace
}  // namespace protium
