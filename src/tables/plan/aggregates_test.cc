// SPDX-License-Identifier: Apache-2.0
#include "plan/aggregates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/fault.h"
#include "plan/functions.h"

namespace protium {
namespace {

using testing::HasSubstr;

TEST(Aggregates, AreTakenOutOfExpressions) {
  const auto lifted =
      LiftAggregates({{"share", Sum(Col("late") * 1.0) / CountRows()}, {"day", Col("day")}}, false,
                     {})
          .ValueOrDie();
  ASSERT_EQ(lifted.arguments.size(), 1u);
  EXPECT_EQ(ToText(lifted.arguments[0].expr), "(late * 1.0)");
  ASSERT_EQ(lifted.calls.size(), 2u);
  EXPECT_EQ(lifted.calls[0].sql, "sum(\"" + lifted.arguments[0].name + "\")");
  EXPECT_EQ(lifted.calls[1].sql, "count(*)");
  EXPECT_EQ(ToText(lifted.columns[0].expr),
            "(" + lifted.calls[0].column + " / " + lifted.calls[1].column + ")");
  EXPECT_EQ(ToText(lifted.columns[1].expr), "day");
}

// A table may have columns with the names that ours would get; SQL does not distinguish "PT_0" from
// "pt_0".
TEST(Aggregates, TakeNoNameThatIsTaken) {
  const auto lifted =
      LiftAggregates({{"x", Sum(Col("x"))}}, true, {"x", "PT_0", "pt_2"}).ValueOrDie();
  EXPECT_EQ(lifted.arguments[0].name, "pt_1");
  EXPECT_EQ(lifted.calls[0].column, "pt_3");
}

TEST(Aggregates, StandInNoOtherAndRanksOnlyInWindows) {
  const auto what = [](Expr expr) {
    return FaultOf(LiftAggregates({{"x", std::move(expr)}}, false, {}).status()).what;
  };
  EXPECT_EQ(what(Sum(Max(Col("x")))), "Max() within Sum()");
  EXPECT_EQ(what(Lag(Col("x"), 2)), "Lag() needs rows in an order");
  const auto lag = LiftAggregates({{"x", Lag(Col("x"), 2)}}, true, {}).ValueOrDie();
  EXPECT_THAT(lag.calls[0].sql, HasSubstr(", 2)"));
}

TEST(Aggregates, AreRefusedWhereOneRowIsSeen) {
  const Fault fault = FaultOf(Check(Col("x") > Avg(Col("x"))));
  EXPECT_THAT(fault.what, HasSubstr("Avg() is computed of many rows"));
  EXPECT_THAT(fault.fix, HasSubstr("GroupBy"));
}

TEST(Aggregates, TextsQuoteNames) {
  EXPECT_EQ(OrderList({Asc("a\"b"), Desc("c")}),
            "\"a\"\"b\" ASC NULLS FIRST, \"c\" DESC NULLS LAST");
  EXPECT_EQ(NameList({"a", "b c"}), "\"a\", \"b c\"");
}

}  // namespace
}  // namespace protium
