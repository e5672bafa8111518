// SPDX-License-Identifier: Apache-2.0
#include "column/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "base/fault.h"

namespace protium {
namespace {

TEST(Metrics, AreWhatTheirNamesSay) {
  auto state = *MetricState::Make({"rmse", "mse", "mae", "bias"});
  state.Add(1, 2);
  state.Add(5, 2);
  state.Add(0, 0, 2);
  EXPECT_EQ(Dump(state.Values()), R"({"rmse":1.5811388300841898,"mse":2.5,"mae":1.0,"bias":-0.5})");
  EXPECT_EQ(state.rows(), 3);
}

TEST(Metrics, OfClassesAreMeasuredOnLogits) {
  auto state = *MetricState::Make({"logloss", "accuracy"});
  state.Add(1, 0.5);
  state.Add(0, -2);
  state.Add(0, 1000);
  state.Add(1, -0.25);
  const Json values = state.Values();
  EXPECT_NEAR(values["logloss"].get<double>(), (0.474077 + 0.126928 + 1000 + 0.825939) / 4, 1e-5);
  EXPECT_EQ(values["accuracy"], 0.5);
}

TEST(Metrics, OfNoRowsAreNull) {
  EXPECT_EQ(Dump(MetricState::Make({"rmse", "mae"})->Values()), R"({"rmse":null,"mae":null})");
}

TEST(Metrics, DoNotDependOnOrderOrParts) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0, 40);
  std::vector<std::pair<double, double>> rows(5000);
  for (auto& [label, prediction] : rows) label = normal(random), prediction = normal(random);
  auto all = *MetricState::Make({"rmse", "mae"});
  for (const auto& [label, prediction] : rows) all.Add(label, prediction);
  std::shuffle(rows.begin(), rows.end(), random);
  auto merged = *MetricState::Make({"rmse", "mae"});
  for (size_t part = 0; part < 5; ++part) {
    auto state = *MetricState::Make({"rmse", "mae"});
    for (size_t i = part; i < rows.size(); i += 5) state.Add(rows[i].first, rows[i].second);
    ASSERT_TRUE(merged.Merge(*ParseJson(Dump(state.ToJson()))).ok());
  }
  EXPECT_EQ(merged.ToJson(), all.ToJson());
  EXPECT_EQ(merged.Values(), all.Values());
}

TEST(Metrics, NameTheNearestOfAnUnknownOne) {
  const Fault fault = FaultOf(MetricState::Make({"rsme"}).status());
  EXPECT_EQ(fault.exit, Exit::kUsage);
  EXPECT_EQ(fault.what, "unknown metric \"rsme\"");
  EXPECT_THAT(fault.fix, testing::HasSubstr("\"rmse\""));
}

TEST(Metrics, RefuseToMergeOthers) {
  auto state = *MetricState::Make({"rmse"});
  EXPECT_FALSE(state.Merge(MetricState::Make({"mae"})->ToJson()).ok());
  EXPECT_FALSE(state.Merge(*ParseJson(R"({"names": ["rmse"], "rows": -3})")).ok());
}

}  // namespace
}  // namespace protium
