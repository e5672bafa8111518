// SPDX-License-Identifier: Apache-2.0
// Values by hand; src/learning/inference/stages_test.cc checks that engines compute the same.
#include "plan/row_values.h"

#include <arrow/api.h>
#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <string>
#include <utility>

#include "base/fault.h"
#include "plan/row_steps.h"

namespace protium {
namespace {

std::shared_ptr<arrow::RecordBatch> OddRows() {
  arrow::DoubleBuilder x;
  arrow::Int32Builder n;
  arrow::StringBuilder s;
  arrow::Date32Builder d;
  arrow::TimestampBuilder t(arrow::timestamp(arrow::TimeUnit::MICRO, "UTC"),
                            arrow::default_memory_pool());
  arrow::FloatBuilder f;
  arrow::Decimal128Builder c(arrow::decimal128(9, 3));
  EXPECT_TRUE(x.AppendValues({1.5, -2.5, std::nan(""), 0}, {true, true, true, false}).ok());
  EXPECT_TRUE(n.AppendValues({2, -7, 0, 1}, {true, true, true, false}).ok());
  EXPECT_TRUE(
      s.AppendValues({"abc", "\xC3\xA9t\xC3\xA9", "", "z"}, std::vector<uint8_t>{1, 1, 1, 0}.data())
          .ok());
  // 2024-12-30, 1969-12-31, 2021-01-03, NULL.
  EXPECT_TRUE(d.AppendValues({20087, -1, 18630, 0}, {true, true, true, false}).ok());
  // 2024-12-30 23:59:59.999999, a microsecond before 1970, 1900-02-28 06:07:08, NULL.
  EXPECT_TRUE(
      t.AppendValues({1735603199999999, -1, -2203955572000000, 0}, {true, true, true, false}).ok());
  EXPECT_TRUE(f.AppendValues({0.1F, INFINITY, -0.0F, 0}, {true, true, true, false}).ok());
  for (const char* text : {"0.100", "-123456.789", "2.000"}) {
    EXPECT_TRUE(c.Append(arrow::Decimal128::FromString(text).ValueOrDie()).ok());
  }
  EXPECT_TRUE(c.AppendNull().ok());
  const auto items = std::make_shared<arrow::DoubleBuilder>();
  arrow::ListBuilder l(arrow::default_memory_pool(), items);
  for (const int length : {2, 0, 1}) {
    EXPECT_TRUE(l.Append().ok());
    for (int i = 0; i < length; ++i) EXPECT_TRUE(items->Append(i + 0.5).ok());
  }
  EXPECT_TRUE(l.AppendNull().ok());
  arrow::ArrayVector columns;
  arrow::FieldVector fields;
  const auto add = [&](const char* name, arrow::ArrayBuilder& builder) {
    columns.push_back(builder.Finish().ValueOrDie());
    fields.push_back(arrow::field(name, columns.back()->type()));
  };
  add("x", x), add("n", n), add("s", s), add("d", d), add("t", t), add("f", f), add("c", c);
  add("l", l);
  return arrow::RecordBatch::Make(arrow::schema(fields), 4, columns);
}

// Returns a projection's result after a round trip through JSON; "left" if an engine has to compute
// it.
std::string Made(const Expr& expr, const std::shared_ptr<arrow::RecordBatch>& rows = OddRows()) {
  RowSteps steps(rows->schema());
  if (!steps.Add(Project{{{"v", expr}}})) return "left";
  const Json json = ParseJson(Dump(steps.ToJson())).ValueOrDie();
  const auto made = RowSteps::FromJson(json, rows->schema()).ValueOrDie().Apply(rows);
  if (!made.ok()) return FaultOf(made.status()).what;
  EXPECT_TRUE((*made)->ValidateFull().ok());
  std::string text;
  for (int64_t row = 0; row < (*made)->num_rows(); ++row) {
    text += (row == 0 ? "" : " ") + (*made)->column(0)->GetScalar(row).ValueOrDie()->ToString();
  }
  return text;
}

Expr Part(const char* part, const char* of) {
  return MakeCall("cast_int64", {MakeCall(part, {Col(of)})});
}

TEST(RowValues, AreThePartsOfDatesAndTimes) {
  EXPECT_EQ(Made(Part("year", "d")), "2024 1969 2021 null");
  EXPECT_EQ(Made(Part("quarter", "d")), "4 4 1 null");
  EXPECT_EQ(Made(Part("month", "d")), "12 12 1 null");
  EXPECT_EQ(Made(Part("day", "d")), "30 31 3 null");
  EXPECT_EQ(Made(Part("day_of_year", "d")), "365 365 3 null");
  EXPECT_EQ(Made(Part("day_of_week", "d")), "2 4 1 null");
  EXPECT_EQ(Made(Part("week_of_year", "d")), "1 1 53 null");
  EXPECT_EQ(Made(Part("hour", "d")), "0 0 0 null");
  EXPECT_EQ(Made(Part("day", "t")), "30 31 28 null");
  EXPECT_EQ(Made(Part("hour", "t")), "23 23 6 null");
  EXPECT_EQ(Made(Part("minute", "t")), "59 59 7 null");
  EXPECT_EQ(Made(Part("second", "t")), "59 59 8 null");
  EXPECT_EQ(Made(MakeCall("unix_time", {Col("d")})), "1735516800 -86400 1609632000 null");
  EXPECT_EQ(Made(MakeCall("unix_time", {Col("t")})),
            "1735603199.999999 -0.000001 -2203955572 null");
  EXPECT_EQ(Made(MakeCall("unix_time", {Col("n")})), "left");
  // The part itself is a 32-bit number.
  EXPECT_EQ(Made(MakeCall("year", {Col("d")})), "left");
}

TEST(RowValues, AreTextsAndTheirHashes) {
  EXPECT_EQ(Made(MakeCall("join_text", {Col("s"), MakeCall("cast_string", {Col("n")})})),
            "abc\x1f"
            "2 \xC3\xA9t\xC3\xA9\x1f-7 \x1f"
            "0 ");
  EXPECT_EQ(Made(MakeCall("coalesce", {Col("s"), Lit("none")})), "abc \xC3\xA9t\xC3\xA9  none");
  // SELECT hash('abc'), hash('été'), hash('') of Spark 4.2.1.
  EXPECT_EQ(Made(MakeCall("cast_int64", {MakeCall("hash_text", {Col("s")})})),
            "1322437556 -149728428 142593372 142593372");
  const Expr bucket = MakeCall(
      "pmod", {MakeCall("cast_int64", {MakeCall("hash_text", {Col("s")})}), Lit(int64_t{10})});
  EXPECT_EQ(Made(bucket), "6 2 2 2");
  EXPECT_EQ(Made(MakeCall("cast_string", {Col("f")})), "left");
}

TEST(RowValues, AreNumbersOfWhateverAColumnHas) {
  EXPECT_EQ(Made(MakeCall("cast_double", {Col("f")})), "0.10000000149011612 inf -0 null");
  EXPECT_EQ(Made(MakeCall("cast_double", {Col("c")})), "0.1 -123456.789 2 null");
  EXPECT_EQ(Made(MakeCall("cast_double", {MakeCall("element", {Col("l"), Lit(int64_t{0})})})),
            "0.5 null 0.5 null");
  EXPECT_EQ(Made(MakeCall("cast_double", {MakeCall("element", {Col("l"), Lit(int64_t{1})})})),
            "1.5 null null null");
  EXPECT_EQ(Made(Col("f") * Col("f")), "left");
  EXPECT_EQ(Made(MakeCall("floor", {Col("x")})), "1 -3 0 null");
}

TEST(RowValues, ArePickedByPlace) {
  EXPECT_EQ(
      Made(MakeCall("pick", {MakeCall("cast_int64", {Col("n")}), Lit(5.0), Lit(6.0), Lit(7.0)})),
      "7 null 5 null");
}

TEST(RowValues, AreTrueFalseOrNullInThreeWays) {
  const Expr null = Col("x") > Lit(1.0);
  EXPECT_EQ(Made(null), "true false true null");
  const Expr wide = MakeCall("cast_int64", {Col("n")}) < Lit(int64_t{0});
  EXPECT_EQ(Made(wide && null), "false false false null");
  EXPECT_EQ(Made(wide || null), "true true true null");
  EXPECT_EQ(Made(wide || MakeCall("is_null", {Col("s")})), "false true false true");
  EXPECT_EQ(Made(Col("x") == Lit(-2.5)), "false true false null");
  EXPECT_EQ(Made(Col("x") != Lit(-2.5)), "true false true null");
}

TEST(RowValues, FailOnlyForRowsThatReachTheError) {
  const auto fails = [](Expr where) {
    return Made(MakeCall("if", {std::move(where), MakeCall("error", {Lit("bad cell")}), Col("x")}));
  };
  EXPECT_EQ(fails(MakeCall("is_null", {Col("d")})), "bad cell");
  EXPECT_EQ(fails(Col("x") < Lit(-100.0)), "1.5 -2.5 nan null");
  // NULL has the kind of the other branch, even if all rows get it.
  EXPECT_EQ(Made(MakeCall("if", {Col("x") < Lit(9.0), Lit(std::monostate()), Col("x")})),
            "null null nan null");
  EXPECT_EQ(
      Made(MakeCall("if", {MakeCall("is_null", {Col("x")}), Col("s"), Lit(std::monostate())})),
      "null null null null");
  EXPECT_EQ(Made(MakeCall("coalesce", {Col("x"), Lit(1.0) / Lit(0.0)})), "division by zero");
  EXPECT_EQ(Made(MakeCall("if", {MakeCall("is_null", {Col("x")}), Lit(2.0), Lit(1.0) / Col("x")})),
            "0.6666666666666666 -0.4 nan 2");
  EXPECT_EQ(Made(MakeCall("error", {Lit("no")}), OddRows()->Slice(0, 0)), "left");
  EXPECT_EQ(Made(MakeCall("if", {Col("x") < Lit(9.0), MakeCall("error", {Lit("no")}), Col("x")}),
                 OddRows()->Slice(0, 0)),
            "");
}

}  // namespace
}  // namespace protium
