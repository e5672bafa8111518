// SPDX-License-Identifier: Apache-2.0
#include "protium/expr.h"

#include <gtest/gtest.h>

#include "plan/functions.h"

namespace protium {
namespace {

TEST(Expr, OperatorsAreCallsOfTheTable) {
  const Expr expr = (Col("hour") + Lit(int64_t{1}) < Lit(6.5)) && !(Col("origin") == Lit("JFK"));
  EXPECT_EQ(ToText(expr), "(((hour + 1) < 6.5) and not((origin = 'JFK')))");
  EXPECT_TRUE(Check(expr).ok());
}

}  // namespace
}  // namespace protium
