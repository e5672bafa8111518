// SPDX-License-Identifier: Apache-2.0
#include "trees/dependence.h"

#include <gtest/gtest.h>

#include "trees/testing/random_forest.h"

namespace protium {
namespace {

// A number on both sides of each threshold and on it, or each category; and no value at all.
std::vector<float> ValuesOf(const Forest& forest, int32_t column) {
  std::vector<float> values = {kNoValue};
  for (int64_t c = 0; c < forest.columns[size_t(column)].cardinality; ++c) {
    values.push_back(float(c));
  }
  if (values.size() > 1) return values;
  for (const float each : ThresholdsOf(forest, column)) {
    values.insert(values.end(), {each - 1e-4f, each, each + 1e-4f});
  }
  return values;
}

// By definition, one walk through all trees for each value: the prediction for a row of which only
// this column is known.
void ExpectDefinition(const Forest& forest, int32_t column) {
  const std::vector<float> values = ValuesOf(forest, column);
  const std::vector<double> got = PartialDependence(forest, column, values);
  const size_t outputs = forest.base.size();
  ASSERT_EQ(got.size(), values.size() * outputs);
  for (size_t v = 0; v < values.size(); ++v) {
    std::vector<float> row(forest.columns.size(), kNoValue);
    row[size_t(column)] = values[v];
    for (size_t o = 0; o < outputs; ++o) {
      EXPECT_NEAR(got[v * outputs + o], Expected(forest, o, row, 1u << column), 1e-12)
          << "value " << values[v] << " of column " << column;
    }
  }
}

TEST(PartialDependence, IsThePredictionOfRowsOfWhichOneColumnIsKnown) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    RandomForest random(seed, {0, 5, 0, 40});
    const Forest forest = random.Make(2, 8, 24);
    for (int32_t column = 0; column < 4; ++column) ExpectDefinition(forest, column);
  }
}

TEST(PartialDependence, IsThePredictionWhereThereIsOneColumn) {
  RandomForest random(3, {0});
  const Forest forest = random.Make(1, 6, 20);
  const std::vector<float> values = ValuesOf(forest, 0);
  const std::vector<double> got = PartialDependence(forest, 0, values);
  for (size_t v = 0; v < values.size(); ++v) {
    float out = 0;
    forest.Predict({&values[v], 1}, {&out, 1});
    EXPECT_NEAR(got[v], out, 1e-5) << values[v];
  }
}

TEST(PartialDependence, CountsBothBranchesByTheirCover) {
  // a <= 1: by b 10 or 20 (3 of 4 rows); else 100.
  const Tree tree{.nodes = {{.column = 0, .left = 1, .threshold = 1, .cover = 8},
                            {.column = 1, .left = 3, .threshold = 5, .cover = 4},
                            {.value = 100, .cover = 4},
                            {.value = 10, .cover = 1},
                            {.value = 20, .cover = 3}}};
  const Forest forest{.columns = {{"a"}, {"b"}}, .base = {0.5}, .trees = {tree}};
  EXPECT_EQ(PartialDependence(forest, 0, std::vector<float>{1, 2}),
            (std::vector<double>{18, 100.5}));
  EXPECT_EQ(PartialDependence(forest, 1, std::vector<float>{5, 6}),
            (std::vector<double>{55.5, 60.5}));
}

TEST(ThresholdsOf, AreThoseOfTheColumnInOrderAndOnce) {
  const float endless = std::numeric_limits<float>::infinity();
  const auto split = [](int32_t column, float threshold) {
    return Tree{.nodes = {{.column = column, .left = 1, .threshold = threshold}, {}, {}}};
  };
  const Forest forest{
      .columns = {{"a"}, {"b"}},
      .base = {0},
      .trees = {split(0, 3), split(1, 2), split(0, -1), split(0, 3), split(0, endless)}};
  EXPECT_EQ(ThresholdsOf(forest, 0), (std::vector<float>{-1, 3}));
  EXPECT_EQ(ThresholdsOf(forest, 1), (std::vector<float>{2}));
}

}  // namespace
}  // namespace protium
