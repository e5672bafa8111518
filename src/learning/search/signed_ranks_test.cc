// SPDX-License-Identifier: Apache-2.0
#include "search/signed_ranks.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "base/json.h"

namespace protium {
namespace {

double Chance(const std::vector<double>& differences) { return ChanceOfGreater(differences); }

// Of n differences that are all above 0, one of 2^n signs is as extreme.
TEST(SignedRanks, AreExactForFewDifferences) {
  EXPECT_EQ(Chance({}), 1);
  EXPECT_EQ(Chance({3}), 0.5);
  EXPECT_EQ(Chance({1, 2, 3, 4}), 1.0 / 16);
  EXPECT_EQ(Chance({-1, -2, -3, -4}), 1);
  // Of {1, 2, 3, 4} the sums 9 and 10 are possible, each in one way.
  EXPECT_EQ(Chance({-1, 2, 3, 4}), 2.0 / 16);
}

TEST(SignedRanks, TakeTheMiddleOfEqualSizesAndNothingOfZeros) {
  // The ranks are 1.5, 1.5 and 3: sums from 4.5 on are reached by three of eight signs.
  EXPECT_EQ(Chance({-1, 1, 2}), 3.0 / 8);
  EXPECT_EQ(Chance({0, 0, 0}), 1);
  EXPECT_EQ(Chance({0, 1, 2}), 1.0 / 4);
  EXPECT_EQ(Chance({NAN, 1, 2}), 1.0 / 8);
}

TEST(SignedRanks, OfManyGoOnAsThoseOfFew) {
  std::vector<double> differences;
  for (int i = 1; i <= 50; ++i) differences.push_back(i % 3 == 0 ? -i : i);
  const double exact = Chance(differences);
  differences.push_back(51);
  const double more = Chance(differences);
  differences.back() = -51;
  const double fewer = Chance(differences);
  EXPECT_LT(more, exact);
  EXPECT_GT(fewer, exact);
  EXPECT_NEAR(more, exact, 0.02);
  EXPECT_NEAR(fewer, exact, 0.02);
}

TEST(SignedRanks, HaveTheChancesThatScipyGives) {
  std::ifstream file(std::string(PROTIUM_SEARCH_FIXTURES) + "/scipy_ranks.jsonl");
  int cases = 0;
  for (std::string line; std::getline(file, line); ++cases) {
    const Json each = *ParseJson(line);
    EXPECT_NEAR(Chance(each["differences"].get<std::vector<double>>()),
                each["chance"].get<double>(), 1e-12)
        << line;
  }
  EXPECT_GT(cases, 35);
}

}  // namespace
}  // namespace protium
