// SPDX-License-Identifier: Apache-2.0
// The expected value is that of sktime's mean_absolute_scaled_error for the same series.
#include <gtest/gtest.h>

#include <vector>

#include "base/fault.h"
#include "metrics/metrics.h"

namespace protium {
namespace {

constexpr double kSeriesLabels[] = {3, -0.5, 2, 7, 2};
constexpr double kSeriesScores[] = {2.5, 0.0, 2, 8, 1.25};
// The mean size of the changes of 5, 0.5, 4, 6, 3, 5, 2.
constexpr double kSeriesScale = 3;

MetricState NewState(const std::string& name = "mase@1") {
  return MetricState::Make({name}, TargetKind::kValues).ValueOrDie();
}

void Add(MetricState& state, size_t row, std::vector<SeasonScale> scales, double weight = 1) {
  state.Add({.labels = {&kSeriesLabels[row], 1},
             .scores = {&kSeriesScores[row], 1},
             .weight = weight,
             .scales = scales});
}

TEST(Mase, IsThatOfSktime) {
  MetricState state = NewState();
  for (size_t row = 0; row < 5; ++row) Add(state, row, {{7, 100}, {1, kSeriesScale}});
  EXPECT_NEAR(state.Values()["mase@1"].get<double>(), 0.18333333333333335, 1e-15);
}

TEST(Mase, DividesEachRowByTheScaleOfItsOwnSeries) {
  MetricState state = NewState("mase@7");
  Add(state, 0, {{7, 0.5}});
  Add(state, 3, {{7, 4}}, 3);
  EXPECT_DOUBLE_EQ(state.Values()["mase@7"].get<double>(), (1 + 3 * 0.25) / 4);
}

TEST(Mase, LeavesRowsWithoutAScaleOut) {
  MetricState state = NewState();
  Add(state, 0, {});
  Add(state, 1, {{1, 0}});
  EXPECT_TRUE(state.Values()["mase@1"].is_null());
  Add(state, 3, {{1, 2}});
  EXPECT_DOUBLE_EQ(state.Values()["mase@1"].get<double>(), 0.5);
}

TEST(Mase, IsTheSameForRowsInTwoParts) {
  MetricState whole = NewState(), first = NewState(), second = NewState();
  for (size_t row = 0; row < 5; ++row) {
    Add(whole, row, {{1, 0.7}});
    Add(row < 2 ? first : second, row, {{1, 0.7}});
  }
  ASSERT_TRUE(second.Merge(first.ToJson()).ok());
  EXPECT_EQ(second.ToJson(), whole.ToJson());
}

TEST(Mase, NeedsANumberInItsName) {
  EXPECT_EQ(FaultOf(FindMetric("mase@k").status()).fix, "write \"mase@5\", or another number");
  EXPECT_FALSE(MetricState::Make({"mase@0"}, TargetKind::kValues).ok());
  EXPECT_EQ(SeasonsOf({"rmse", "mase@7", "mase@1", "mase@7", "mase@x"}),
            (std::vector<int64_t>{1, 7}));
  EXPECT_EQ(SeasonOfColumn(ScaleColumn(28)), 28);
  EXPECT_EQ(SeasonOfColumn("shop"), 0);
}

}  // namespace
}  // namespace protium
