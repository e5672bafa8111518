// SPDX-License-Identifier: Apache-2.0
#include "trials/importance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "base/splitmix.h"

namespace protium {
namespace {

// Numbers between 0 and 1, the same ones every time.
struct Draws {
  uint64_t state = 0;
  double Next() { return double(SplitMix(state += kSplitMixStep) >> 11) * 0x1p-53; }
};

using Value = std::function<double(double a, double b, const std::string& c)>;

// Trials of two ranges, the first logarithmic, and a choice.
TriedSearch SearchOf(int trials, const Value& value) {
  TriedSearch search{.objectives = {{"loss", false}}};
  search.options = {{.path = "a", .low = 1e-4, .high = 1, .log = true},
                    {.path = "b", .low = 0, .high = 10},
                    {.path = "c", .choices = {"x", "y", "z"}}};
  Draws draws;
  for (int i = 1; i <= trials; ++i) {
    const double a = std::pow(10, -4 * draws.Next()), b = 10 * draws.Next();
    const std::string c(1, char('x' + int(3 * draws.Next())));
    search.trials.push_back({.number = i,
                             .state = "done",
                             .values = {{"a", a}, {"b", b}, {"c", c}},
                             .value = value(a, b, c)});
  }
  return search;
}

TEST(Importance, IsThatOfTheOptionThatMatters) {
  const auto found = ImportanceOf(SearchOf(
      100, [](double a, double, const std::string&) { return std::fabs(std::log10(a) + 2); }));
  ASSERT_TRUE(found);
  EXPECT_EQ(found->trials, 100);
  EXPECT_GT(found->options[0].share, 0.95);
  EXPECT_LT(found->options[1].share, 0.02);
  EXPECT_LT(found->options[2].share, 0.02);
  const auto best = std::ranges::min_element(found->options[0].marginal);
  const Json at = found->options[0].at[size_t(best - found->options[0].marginal.begin())];
  EXPECT_NEAR(std::log10(at.get<double>()), -2, 0.3);
}

TEST(Importance, DividesTheVarianceAsTheFunctionDoes) {
  // Variances of independent terms add up: 4/12 of b's range of 2, 2/9 of a choice that is 1 once
  // in three times, each alone.
  const auto found = ImportanceOf(SearchOf(
      600, [](double, double b, const std::string& c) { return b / 10 * 2 + (c == "y" ? 1 : 0); }));
  ASSERT_TRUE(found);
  const double of_b = 4.0 / 12, of_c = 2.0 / 9;
  EXPECT_LT(found->options[0].share, 0.02);
  EXPECT_NEAR(found->options[1].share, of_b / (of_b + of_c), 0.05);
  EXPECT_NEAR(found->options[2].share, of_c / (of_b + of_c), 0.05);
  EXPECT_NEAR(found->options[2].marginal[1] - found->options[2].marginal[0], 1, 0.1);
}

TEST(Importance, OfOptionsThatMatterOnlyTogetherIsNeithers) {
  const auto found = ImportanceOf(SearchOf(600, [](double a, double b, const std::string&) {
    return (a < 1e-2) == (b < 5) ? 1.0 : 0.0;
  }));
  ASSERT_TRUE(found);
  EXPECT_LT(found->options[0].share + found->options[1].share, 0.15);
  ASSERT_FALSE(found->pairs.empty());
  const auto& pair = found->pairs.front();
  ASSERT_EQ(found->options[pair.a].path + found->options[pair.b].path, pair.a == 0 ? "ab" : "ba");
  EXPECT_GT(pair.marginal.front().front(), 0.8);
  EXPECT_LT(pair.marginal.front().back(), 0.2);
}

TEST(Importance, IsTheSameEveryTime) {
  const TriedSearch search =
      SearchOf(50, [](double a, double b, const std::string& c) { return a * b + double(c[0]); });
  EXPECT_EQ(ToJson(*ImportanceOf(search)), ToJson(*ImportanceOf(search)));
}

TEST(Importance, IsNotAllThatOfTheOneTrialThatDiverged) {
  TriedSearch search = SearchOf(100, [](double, double b, const std::string&) { return b; });
  search.trials[7].value = 1e12;
  const auto found = ImportanceOf(search);
  ASSERT_TRUE(found);
  EXPECT_GT(found->options[1].share, 0.7);
}

TEST(Importance, OfAnOptionThatSomeTrialsLackIsThatOfHavingIt) {
  TriedSearch search = SearchOf(200, [](double, double, const std::string&) { return 0; });
  for (TriedTrial& each : search.trials) {
    const bool with = each.number % 2 == 0;
    if (!with) each.values.erase("b");
    each.value = with ? 1 : 0;
  }
  const auto found = ImportanceOf(search);
  ASSERT_TRUE(found);
  EXPECT_GT(found->options[1].share, 0.95);
  EXPECT_EQ(found->options[1].at.size(), found->options[1].marginal.size());
}

TEST(Importance, OfFewTrialsOrOfEqualOnesIsUnknown) {
  const Value constant = [](double, double, const std::string&) { return 1; };
  EXPECT_FALSE(ImportanceOf(SearchOf(7, [](double a, double, const std::string&) { return a; })));
  EXPECT_FALSE(ImportanceOf(SearchOf(50, constant)));
  TriedSearch failed = SearchOf(50, constant);
  for (TriedTrial& each : failed.trials) each.value.reset();
  EXPECT_FALSE(ImportanceOf(failed));
}

TEST(Importance, OfWholeNumbersHasOneValueEach) {
  TriedSearch search = SearchOf(60, [](double, double, const std::string&) { return 0; });
  search.options[1] = {.path = "b", .low = 1, .high = 5, .log = true, .whole = true};
  for (TriedTrial& each : search.trials) {
    each.values["b"] = 1 + each.number % 5;
    each.value = double(each.number % 5);
  }
  const auto found = ImportanceOf(search);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->options[1].at, (std::vector<Json>{1.0, 2.0, 3.0, 4.0, 5.0}));
  EXPECT_LT(found->options[1].marginal.front(), 0.5);
  EXPECT_GT(found->options[1].marginal.back(), 3.5);
}

}  // namespace
}  // namespace protium
