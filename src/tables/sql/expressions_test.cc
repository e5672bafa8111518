// SPDX-License-Identifier: Apache-2.0
#include "sql/expressions.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "plan/functions.h"

namespace protium {
namespace {

// The highest argument that a spelling names.
int32_t HighestArgument(std::string_view spelling) {
  int32_t highest = 0;
  for (size_t i = 0; i + 1 < spelling.size(); ++i) {
    if (spelling[i] == '$' && std::isdigit(spelling[i + 1]) != 0) {
      highest = std::max(highest, int32_t{spelling[i + 1] - '0'});
    }
  }
  return highest;
}

TEST(ExprSpellings, EveryFunctionOfExpressionsHasOne) {
  for (const Function& function : Functions()) {
    EXPECT_NE(FindExprSpelling(function.name), nullptr) << function.name;
  }
  EXPECT_EQ(ExprSpellings().size(), Functions().size());
  EXPECT_EQ(FindExprSpelling("coalesc"), nullptr);
}

TEST(ExprSpellings, NameTheArgumentsThatTheFunctionTakes) {
  for (const ExprSpelling& row : ExprSpellings()) {
    // With any number of arguments, $+ stands for those behind the first.
    const bool behind_first = row.duckdb.find("$+") != row.duckdb.npos;
    const int32_t most = FindFunction(row.name)->most;
    const int32_t wanted = most >= 0 ? most : behind_first ? 1 : 0;
    EXPECT_EQ(HighestArgument(row.duckdb), wanted) << row.name;
    EXPECT_EQ(HighestArgument(row.spark), wanted) << row.name;
  }
}

}  // namespace
}  // namespace protium
