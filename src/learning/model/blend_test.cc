// SPDX-License-Identifier: Apache-2.0
#include "model/blend.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace protium {
namespace {

using testing::ElementsAre;

// `rows` labels, and members that are off by noise of these sizes, each its own.
MemberOutputs Noisy(const std::vector<double>& sizes, int rows = 4000) {
  std::mt19937 random(3);
  std::normal_distribution<double> noise;
  MemberOutputs out;
  out.outputs.resize(sizes.size());
  for (int i = 0; i < rows; ++i) {
    const double label = noise(random);
    out.labels.push_back(label);
    out.weights.push_back(1);
    for (size_t m = 0; m < sizes.size(); ++m) {
      out.outputs[m].push_back(float(label + sizes[m] * noise(random)));
    }
  }
  return out;
}

Target Values() { return {.kind = TargetKind::kValues, .labels = {{}}}; }

double Rmse(const MemberOutputs& rows, const std::vector<double>& weights) {
  Diagnostics diagnostics(TargetKind::kValues);
  return (*MeasureBlend(rows, weights, Values(), {"rmse"}, {}, diagnostics))["rmse"].get<double>();
}

TEST(Blend, IsNearTheBestWeights) {
  // Independent errors: the best weights are as 1 to 1 / 4.
  const MemberOutputs rows = Noisy({0.5, 1});
  const auto weights = *ChooseWeights(rows, Values(), *FindMetric("rmse"));
  EXPECT_NEAR(weights[0], 0.8, 0.051);
  EXPECT_NEAR(weights[0] + weights[1], 1, 1e-12);
  for (int k = 0; k <= kBlendSteps; ++k) {
    const double w = double(k) / kBlendSteps;
    EXPECT_LE(Rmse(rows, weights), Rmse(rows, {w, 1 - w}) + 1e-7) << w;
  }
}

TEST(Blend, LeavesOutWhatHelpsNobody) {
  const MemberOutputs rows = Noisy({0.5, 0.5, 20});
  const auto weights = *ChooseWeights(rows, Values(), *FindMetric("rmse"));
  EXPECT_EQ(weights[2], 0);
  EXPECT_NEAR(weights[0], 0.5, 0.051);
}

TEST(Blend, TakesTheFirstOfEquals) {
  MemberOutputs rows = Noisy({0.5, 0.5});
  rows.outputs[1] = rows.outputs[0];
  EXPECT_THAT(*ChooseWeights(rows, Values(), *FindMetric("rmse")), ElementsAre(1, 0));
}

TEST(Blend, IsTheSameForAnyOrderOfRows) {
  MemberOutputs rows = Noisy({0.7, 1, 0.9}, 500);
  const auto first = *ChooseWeights(rows, Values(), *FindMetric("mae"));
  const double measured = Rmse(rows, first);
  std::ranges::reverse(rows.labels);
  for (auto& each : rows.outputs) std::ranges::reverse(each);
  EXPECT_EQ(*ChooseWeights(rows, Values(), *FindMetric("mae")), first);
  EXPECT_EQ(Rmse(rows, first), measured);
}

TEST(Blend, GoesUpWithAMetricThatDoes) {
  MemberOutputs rows = Noisy({0.3, 3});
  for (double& each : rows.labels) each = each > 0 ? 1 : 0;
  const Target target{.kind = TargetKind::kTwoClasses};
  const auto weights = *ChooseWeights(rows, target, *FindMetric("auc"));
  EXPECT_GT(weights[0], 0.5);
}

}  // namespace
}  // namespace protium
