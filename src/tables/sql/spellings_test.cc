// SPDX-License-Identifier: Apache-2.0
#include "sql/spellings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "plan/functions.h"
#include "sql/dialect.h"

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

class Spellings : public testing::TestWithParam<const Dialect*> {};

TEST_P(Spellings, AreThereForEveryFunctionOfExpressions) {
  for (const Function& function : Functions()) {
    EXPECT_NE(FindSpelling(function.name, GetParam()->spellings), "") << function.name;
  }
  EXPECT_EQ(FindSpelling("coalesc", GetParam()->spellings), "");
}

TEST_P(Spellings, NameTheArgumentsThatTheFunctionTakes) {
  for (const Function& function : Functions()) {
    const std::string_view spelling = FindSpelling(function.name, GetParam()->spellings);
    // With any number of arguments, $+ stands for those behind the first.
    const bool behind_first = spelling.find("$+") != spelling.npos;
    const int32_t wanted = function.most >= 0 ? function.most : behind_first ? 1 : 0;
    EXPECT_EQ(HighestArgument(spelling), wanted) << function.name;
  }
}

// A name that no expression can call would never be used.
TEST_P(Spellings, AreOfFunctionsThatExpressionsCall) {
  for (const ExprSpelling& row : GetParam()->spellings) {
    EXPECT_NE(FindFunction(row.name), nullptr) << row.name;
  }
  for (const ExprSpelling& row : CommonSpellings()) {
    EXPECT_NE(FindFunction(row.name), nullptr) << row.name;
  }
}

INSTANTIATE_TEST_SUITE_P(Dialects, Spellings, testing::Values(&DuckDbDialect(), &SparkDialect()),
                         [](const auto& dialect) { return std::string(dialect.param->name); });

}  // namespace
}  // namespace protium
