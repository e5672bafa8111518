// SPDX-License-Identifier: Apache-2.0
#include "plan/row_steps.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <cmath>

namespace protium {
namespace {

SchemaPtr Columns4() {
  return arrow::schema({arrow::field("n", arrow::int64()), arrow::field("x", arrow::float64()),
                        arrow::field("s", arrow::utf8()), arrow::field("f", arrow::boolean())});
}

std::shared_ptr<arrow::RecordBatch> Rows() {
  arrow::Int64Builder n;
  arrow::DoubleBuilder x;
  arrow::StringBuilder s;
  arrow::BooleanBuilder f;
  EXPECT_TRUE(n.AppendValues({1, -2, 9007199254740993, 0}, {true, true, true, false}).ok());
  EXPECT_TRUE(x.AppendValues({0.5, std::nan(""), -0.0, 1}, {true, true, true, false}).ok());
  EXPECT_TRUE(s.AppendValues({"a", "b", "", "z"}).ok());
  EXPECT_TRUE(f.AppendValues(std::vector<bool>{true, false, true, false},
                             std::vector<bool>{true, true, true, false})
                  .ok());
  return arrow::RecordBatch::Make(Columns4(), 4,
                                  {n.Finish().ValueOrDie(), x.Finish().ValueOrDie(),
                                   s.Finish().ValueOrDie(), f.Finish().ValueOrDie()});
}

// Returns the result of the steps after a round trip through JSON, column by column.
std::string Made(const RowSteps& steps) {
  const Json json = ParseJson(Dump(steps.ToJson())).ValueOrDie();
  const RowSteps back = RowSteps::FromJson(json, Columns4()).ValueOrDie();
  EXPECT_TRUE(back.schema()->Equals(*steps.schema()));
  const auto batch = back.Apply(Rows()).ValueOrDie();
  EXPECT_TRUE(batch->ValidateFull().ok());
  EXPECT_TRUE(batch->schema()->Equals(*steps.schema(), false));
  std::string text;
  for (int i = 0; i < batch->num_columns(); ++i) {
    text += (i == 0 ? "" : "; ") + batch->column_name(i) + ":";
    for (int64_t row = 0; row < batch->num_rows(); ++row) {
      text += " " + batch->column(i)->GetScalar(row).ValueOrDie()->ToString();
    }
  }
  return text;
}

std::string ComputeColumn(const Expr& expr) {
  RowSteps steps(Columns4());
  EXPECT_TRUE(steps.Add(Project{{{"v", expr}}}));
  return Made(steps);
}

TEST(RowSteps, WorkOutWhatStagesLearn) {
  EXPECT_EQ(ComputeColumn(MakeCall("cast_double", {Col("n")})),
            "v: 1 -2 9.007199254740992e+15 null");
  EXPECT_EQ(ComputeColumn(MakeCall("nan_to_null", {Col("x")})), "v: 0.5 null -0 null");
  EXPECT_EQ(ComputeColumn(MakeCall("coalesce", {MakeCall("nan_to_null", {Col("x")}), Lit(7.25)})),
            "v: 0.5 7.25 -0 7.25");
  EXPECT_EQ(ComputeColumn((MakeCall("cast_double", {Col("n")}) - Lit(0.5)) / Lit(2.0)),
            "v: 0.25 -1.25 4.503599627370496e+15 null");
  EXPECT_EQ(ComputeColumn(MakeCall("if", {MakeCall("is_null", {Col("x")}), Col("x"), Lit(0.0)})),
            "v: 0 0 0 null");
  EXPECT_EQ(ComputeColumn(Lit(int64_t{3})), "v: 3 3 3 3");
}

TEST(RowSteps, OrderNanAboveEveryNumber) {
  EXPECT_EQ(ComputeColumn(Col("x") > Lit(0.0)), "v: true true false null");
  EXPECT_EQ(ComputeColumn(Col("x") < Lit(INFINITY)), "v: true false true null");
  EXPECT_EQ(ComputeColumn(Col("x") <= Col("x")), "v: true true true null");
  EXPECT_EQ(ComputeColumn(MakeCall("is_nan", {Col("x")})), "v: false true false false");
}

TEST(RowSteps, TakeRootsAndLogarithms) {
  EXPECT_EQ(ComputeColumn(MakeCall("sqrt", {Col("x") * Col("x")})), "v: 0.5 nan 0 null");
  EXPECT_EQ(ComputeColumn(MakeCall("ln", {Col("x") + Lit(0.5)})),
            "v: 0 nan -0.6931471805599453 null");
  EXPECT_EQ(ComputeColumn(MakeCall("ln", {Col("x") - Lit(0.5)})), "v: null nan null null");
  EXPECT_EQ(ComputeColumn(MakeCall("log1p", {Col("x") - Lit(1.0)})),
            "v: -0.6931471805599453 nan null null");
  EXPECT_EQ(ComputeColumn(MakeCall("abs", {MakeCall("negate", {Col("x")})})), "v: 0.5 nan 0 null");
}

TEST(RowSteps, CompareWholeNumbers) {
  const auto hot = [](const Expr& holds) { return MakeCall("if", {holds, Lit(1.0), Lit(0.0)}); };
  EXPECT_EQ(ComputeColumn(hot(Col("n") == Lit(int64_t{-2}))), "v: 0 1 0 0");
  EXPECT_EQ(ComputeColumn(hot(Col("n") >= Lit(int64_t{1}))), "v: 1 0 1 0");
  EXPECT_EQ(ComputeColumn(Col("n") == Lit(int64_t{9007199254740992})), "v: false false false null");
}

TEST(RowSteps, KeepRowsOnlyWhereAFlagIsTrue) {
  RowSteps steps(Columns4());
  ASSERT_TRUE(steps.Add(Filter{Col("f")}));
  ASSERT_TRUE(steps.Add(Project{{{"s", Col("s")}}}));
  EXPECT_EQ(Made(steps), "s: a ");
  RowSteps others(Columns4());
  ASSERT_TRUE(others.Add(Filter{!Col("f")}));
  ASSERT_TRUE(others.Add(Project{{{"t", Col("s")}, {"n", Col("n")}}}));
  EXPECT_EQ(Made(others), "t: b; n: -2");
}

TEST(RowSteps, LookUpTextsNumbersAndFlags) {
  const auto keys = std::make_shared<const std::vector<std::string>>(
      std::vector<std::string>{"b", "", "-2", "true"});
  RowSteps steps(Columns4());
  ASSERT_TRUE(steps.Add(Lookup{"s", "i", keys, 9, {}}));
  ASSERT_TRUE(steps.Add(Lookup{"n", "j", keys, {}, 8}));
  ASSERT_TRUE(steps.Add(Lookup{"f", "k", keys, -1, {}}));
  ASSERT_TRUE(steps.Add(Project{{{"i", Col("i")}, {"j", Col("j")}, {"k", Col("k")}}}));
  EXPECT_EQ(Made(steps), "i: 9 0 1 9; j: null 2 null 8; k: 3 -1 3 null");
}

TEST(RowSteps, CutByColumnsOfOneText) {
  const Split rest{.by = {"n", "s"}, .part = 0.5, .seed = 7};
  Split part = rest;
  part.side = Split::Side::kPart;
  const Project shown{{{"s", Col("s")}, {"held", Col("held")}}};
  RowSteps marked(Columns4()), left(Columns4()), right(Columns4());
  ASSERT_TRUE(marked.Add(MarkSplit{rest.by, rest.part, rest.seed, "held"}) && marked.Add(shown));
  EXPECT_EQ(Made(marked), "s: a b  z; held: true true false true");
  ASSERT_TRUE(left.Add(rest) && left.Add(Project{{{"s", Col("s")}}}));
  EXPECT_EQ(Made(left), "s: ");
  ASSERT_TRUE(right.Add(part) && right.Add(Project{{{"s", Col("s")}}}));
  EXPECT_EQ(Made(right), "s: a b z");
}

// What only an engine knows is left to it: nothing is added.
TEST(RowSteps, LeaveTheRestToEngines) {
  RowSteps steps(Columns4());
  const Expr left[] = {MakeCall("cast_double", {Col("s")}),
                       Col("n") + Lit(int64_t{1}),
                       Col("x") == Col("x"),
                       MakeCall("error", {Lit("no")}),
                       Lit(std::monostate()),
                       MakeCall("lower", {Col("s")}),
                       MakeCall("coalesce", {Col("n"), Lit(0.5)}),
                       Col("none")};
  for (const Expr& expr : left) EXPECT_FALSE(steps.Add(Project{{{"v", expr}}}));
  EXPECT_FALSE(steps.Add(Filter{Col("n")}));
  EXPECT_FALSE(steps.Add(Lookup{.column = "x", .output = "i"}));
  EXPECT_FALSE(steps.Add(Limit{3}));
  EXPECT_FALSE(steps.Add(Split{.by = {"x"}}));
  EXPECT_FALSE(steps.Add(Split{.by = {}}));
  EXPECT_FALSE(steps.Add(Split{.by = {"none"}}));
  EXPECT_FALSE(steps.Add(Split{.by = {"n"}, .part = 1}));
  EXPECT_TRUE(steps.empty());
}

}  // namespace
}  // namespace protium
