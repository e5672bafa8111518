// SPDX-License-Identifier: Apache-2.0
#include "pipeline/drift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace protium {
namespace {

DriftBins Numbers(std::vector<int64_t> rows) {
  return {.edges = {1, 2.5}, .rows = std::move(rows)};
}

TEST(DriftOfAColumn, PutsEachValueIntoOneBin) {
  const DriftBins numbers = Numbers({1, 1, 1, 1});
  EXPECT_EQ(numbers.count(), 4u);
  EXPECT_EQ(numbers.BinOf(0.5), 0u);
  EXPECT_EQ(numbers.BinOf(1.0), 1u);
  EXPECT_EQ(numbers.BinOf(2.5), 2u);
  for (const double missing : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_EQ(numbers.BinOf(missing), numbers.Missing());
  }
  const DriftBins texts{.of_texts = true, .texts = {"UA", "AA"}, .rows = {3, 2, 1, 0}};
  EXPECT_EQ(texts.BinOf("AA"), 1u);
  EXPECT_EQ(texts.BinOf("ZZ"), 2u);
  EXPECT_EQ(texts.Missing(), 3u);
}

TEST(DriftOfAColumn, NamesItsBins) {
  const DriftBins numbers = Numbers({});
  EXPECT_EQ(numbers.NameOf(0), "below 1");
  EXPECT_EQ(numbers.NameOf(1), "1 to 2.5");
  EXPECT_EQ(numbers.NameOf(2), "2.5 or more");
  EXPECT_EQ(numbers.NameOf(3), "missing");
  const DriftBins texts{.of_texts = true, .texts = {"UA"}};
  EXPECT_EQ(texts.NameOf(0), "\"UA\"");
  EXPECT_EQ(texts.NameOf(1), "other values");
}

// By hand: p = (10.5, 30.5, 0.5, 0.5) / 42 and q = (30.5, 10.5, 0.5, 0.5) / 42.
TEST(DriftOfAColumn, IsThePopulationStabilityIndex) {
  const auto drift = MeasureDrift(Numbers({10, 30, 0, 0}), {30, 10, 0, 0});
  ASSERT_TRUE(drift);
  EXPECT_NEAR(drift->psi, 2 * (20.0 / 42) * std::log(30.5 / 10.5), 1e-12);
  EXPECT_TRUE(drift->beyond_chance);
  EXPECT_EQ(drift->most, 0u);
  EXPECT_EQ(DescribeDrift("x", Numbers({10, 30, 0, 0}), *drift),
            "x: below 1 in 75% of the rows, 25% in training");
  EXPECT_FALSE(MeasureDrift(Numbers({10, 30, 0, 0}), {0, 0, 0, 0}));
  EXPECT_FALSE(MeasureDrift(Numbers({0, 0, 0, 0}), {1, 0, 0, 0}));
}

// However few rows there are, draws from one distribution are no drift but once in a while.
TEST(DriftOfAColumn, IsSeldomSeenWhereThereIsNone) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  DriftBins bins;
  for (int i = -4; i <= 4; ++i) bins.edges.push_back(i * 0.35);
  const auto draw = [&](int rows) {
    std::vector<int64_t> counts(bins.count());
    for (int i = 0; i < rows; ++i) ++counts[bins.BinOf(normal(random))];
    return counts;
  };
  bins.rows = draw(1000);
  int alarms = 0;
  for (const int rows : {5, 10, 20, 50, 200, 1000}) {
    for (int i = 0; i < 200; ++i) alarms += MeasureDrift(bins, draw(rows))->beyond_chance;
  }
  EXPECT_LE(alarms, 3);
}

TEST(DriftOfAColumn, IsReadAsItWasWritten) {
  const DriftBins bins = Numbers({4, 3, 2, 1});
  const auto again = DriftBinsFromJson(ToJson(bins));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->edges, bins.edges);
  EXPECT_EQ(again->rows, bins.rows);
  const auto read = [](const char* text) {
    return DriftBinsFromJson(*ParseJson(text)).has_value();
  };
  EXPECT_TRUE(read(R"({"texts": ["a"], "rows": [1, 2, 3]})"));
  for (const char* damaged :
       {R"({"texts": ["a"], "rows": [1, 2]})", R"({"edges": [2, 1], "rows": [1, 2, 3, 4]})",
        R"({"edges": [1], "rows": [1, -2, 3]})", R"({"edges": ["1"], "rows": [1, 2, 3]})",
        R"({"texts": 3, "rows": [1, 2, 3]})", R"({"rows": "x"})", "[]"}) {
    EXPECT_FALSE(read(damaged)) << damaged;
  }
}

}  // namespace
}  // namespace protium
