// SPDX-License-Identifier: Apache-2.0
// Compares metrics with scikit-learn's of the same names; reference.py prints the values.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "metrics/metrics.h"

namespace protium {
namespace {

struct Expected {
  const char* metric;
  double value;
};

Json Values(TargetKind kind, const std::vector<Judged>& rows) {
  std::vector<std::string> names = MetricsFor(kind);
  if (std::erase(names, "top_k") > 0) names.insert(names.end(), {"top_2", "top_3", "top_10"});
  std::erase(names, "mase@k");
  MetricState state = *MetricState::Make(names, kind);
  for (const Judged& row : rows) state.Add(row);
  return state.Values();
}

void ExpectValues(const Json& values, const std::vector<Expected>& expected) {
  for (const auto& [metric, value] : expected) {
    ASSERT_TRUE(values[metric].is_number()) << metric;
    EXPECT_NEAR(values[metric].get<double>(), value, 1e-13) << metric;
  }
}

TEST(Reference, OfValuesWithWeights) {
  const std::vector<double> labels = {3, -0.5, 2, 7, 0, 4.25}, scores = {2.5, 0, 2, 8, 0.5, 3};
  const std::vector<double> weights = {1, 2, 0.5, 3, 1, 0.25}, levels = {0.1, 0.5, 0.9};
  std::vector<Judged> values, quantiles;
  std::vector<std::vector<double>> intervals;
  for (const double score : scores) intervals.push_back({score - 1, score, score + 0.75});
  for (size_t i = 0; i < labels.size(); ++i) {
    values.push_back({{&labels[i], 1}, {&scores[i], 1}, weights[i]});
    quantiles.push_back({{&labels[i], 1}, intervals[i], weights[i], levels});
  }
  ExpectValues(Values(TargetKind::kValues, values), {{"mse", 0.5665322580645161},
                                                     {"rmse", 0.7526833717204839},
                                                     {"mae", 0.6854838709677419},
                                                     {"r2", 0.9464340618120549},
                                                     {"mape", 0.39537296400041494},
                                                     {"rmspe", 0.5591830767787821},
                                                     {"exp_rmspe", 1.1585353467639357}});
  // All but the last are covered.
  ExpectValues(Values(TargetKind::kQuantiles, quantiles),
               {{"pinball", 0.17795698924731182}, {"coverage", 7.5 / 7.75}});
}

struct TwoClassRows {
  std::vector<double> labels = {0, 0, 1, 1, 0, 1, 0, 1};
  std::vector<double> scores = {-2, 0.5, 0.5, 3, -0.25, -0.25, 0, 1.5};
  std::vector<double> weights = {1, 2, 0.5, 1, 3, 1, 0.25, 2};
  std::vector<Judged> Rows() const {
    std::vector<Judged> rows;
    for (size_t i = 0; i < labels.size(); ++i) {
      rows.push_back({{&labels[i], 1}, {&scores[i], 1}, weights[i]});
    }
    return rows;
  }
};

TEST(Reference, OfTwoClassesWithWeightsAndTies) {
  ExpectValues(Values(TargetKind::kTwoClasses, TwoClassRows().Rows()),
               {{"auc", 0.8488888888888889},
                {"pr_auc", 0.83993783993784},
                {"log_loss", 0.510751521273288},
                {"brier", 0.17514484438270872},
                {"accuracy", 0.7209302325581395},
                {"balanced_accuracy", 0.7288888888888889},
                {"f1", 0.7195652173913043},
                {"precision", 0.6363636363636364},
                {"recall", 0.7777777777777778}});
}

// scikit-learn returns 0 with a warning if precision or recall is 0/0, and no auc at all.
TEST(Reference, OfOneClassOnly) {
  const double labels[] = {0, 1}, scores[] = {-2, 2};
  const auto of = [&](int label, int predicted) {
    return Values(TargetKind::kTwoClasses,
                  std::vector<Judged>(3, {{&labels[label], 1}, {&scores[predicted], 1}}));
  };
  const auto expect = [](const Json& values, double precision, double recall, double others) {
    ExpectValues(values, {{"precision", precision},
                          {"recall", recall},
                          {"f1", others},
                          {"balanced_accuracy", others},
                          {"accuracy", others}});
    EXPECT_TRUE(values["auc"].is_null());
  };
  expect(of(0, 0), 0, 0, 1);
  expect(of(0, 1), 0, 0, 0);
  expect(of(1, 0), 0, 0, 0);
  expect(of(1, 1), 1, 1, 1);
  EXPECT_EQ(of(0, 1)["pr_auc"], 0.0);
  EXPECT_EQ(of(1, 0)["pr_auc"], 1.0);
}

// Class 3 is never predicted, and class 0 only for one row.
TEST(Reference, OfManyClassesWithWeights) {
  const std::vector<double> labels = {0, 1, 2, 2, 1, 0, 3}, weights = {1, 0.5, 2, 1, 1, 3, 0.25};
  const std::vector<std::vector<double>> scores = {{2, 1, 0, -1}, {0, 3, 0, 1},   {5, 0, 1, 2},
                                                   {0, 0, 9, 1},  {1, 0.5, 2, 0}, {0.25, 0, -1, 4},
                                                   {3, 2, 1, 0}};
  std::vector<Judged> rows;
  for (size_t i = 0; i < labels.size(); ++i) {
    rows.push_back({{&labels[i], 1}, scores[i], weights[i]});
  }
  ExpectValues(Values(TargetKind::kClasses, rows), {{"log_loss", 2.627309152595368},
                                                    {"brier", 1.2549512018730347},
                                                    {"accuracy", 0.2857142857142857},
                                                    {"balanced_accuracy", 0.22916666666666663},
                                                    {"f1", 0.2939655172413793},
                                                    {"precision", 0.4519230769230769},
                                                    {"recall", 0.22916666666666663},
                                                    {"top_2", 0.6285714285714286},
                                                    {"top_3", 0.9714285714285714},
                                                    {"top_10", 1}});
}

// As in predictions: of equal scores the first class counts as more likely.
TEST(Reference, TopOfEqualScoresTakesTheFirstClasses) {
  const std::vector<double> labels = {1, 2}, scores = {0, 0, 0};
  const std::vector<Judged> rows = {{{&labels[0], 1}, scores}, {{&labels[1], 1}, scores}};
  EXPECT_EQ(Values(TargetKind::kClasses, rows)["top_2"], 0.5);
}

// Each label separately, as with average="macro"; a label without a value is left out.
TEST(Reference, OfFlagsAreMeansOverTheLabels) {
  const TwoClassRows two;
  std::vector<std::vector<double>> labels, scores;
  std::vector<Judged> rows;
  for (size_t i = 0; i < two.labels.size(); ++i) {
    labels.push_back({two.labels[i], 1 - two.labels[i], 1});
    scores.push_back({two.scores[i], two.scores[i], -1});
  }
  for (size_t i = 0; i < labels.size(); ++i) {
    rows.push_back({labels[i], scores[i], two.weights[i]});
  }
  ExpectValues(Values(TargetKind::kFlags, rows),
               {{"auc", 0.5}, {"accuracy", 1.0 / 3}, {"recall", (0.7777777777777778 + 0.32) / 3}});
}

}  // namespace
}  // namespace protium
