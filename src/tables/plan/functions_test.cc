// SPDX-License-Identifier: Apache-2.0
#include "plan/functions.h"

#include <gtest/gtest.h>

#include <set>

#include "base/fault.h"

namespace protium {
namespace {

TEST(Functions, NoNameTwice) {
  std::set<std::string_view> names;
  for (const Function& function : Functions()) EXPECT_TRUE(names.insert(function.name).second);
}

TEST(Functions, AnUnknownOneIsNamedWithItsNeighbour) {
  const Fault fault = FaultOf(Check(Lit(int64_t{1}) + MakeCall("coalesc", {Col("a")})));
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "unknown function \"coalesc\" in an expression");
  EXPECT_EQ(fault.fix, "did you mean \"coalesce\"?");
}

TEST(Functions, CountsArguments) {
  EXPECT_EQ(FaultOf(Check(MakeCall("if", {Col("a")}))).what,
            "function \"if\" takes 3 arguments, got 1");
  EXPECT_EQ(FaultOf(Check(MakeCall("greatest", {Col("a")}))).what,
            "function \"greatest\" takes 2 or more arguments, got 1");
  EXPECT_TRUE(Check(MakeCall("coalesce", {Col("a"), Col("b"), Lit({})})).ok());
}

}  // namespace
}  // namespace protium
